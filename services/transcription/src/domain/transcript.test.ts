import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHoldSpeech } from './speech-levels.ts';
import { transcriptOf } from './transcript.ts';

const segment = (startSec: number, text: string, noSpeechProbability = 0, averageLogProbability = -0.2) => ({
  startSec,
  endSec: startSec + 1,
  text,
  noSpeechProbability,
  averageLogProbability,
});

test('segments become cues, and the text is the provider’s', () => {
  const { text, vtt } = transcriptOf(
    { text: ' Hello. Bye.\n', segments: [segment(0, 'Hello.'), segment(2, 'Bye.')] },
    5,
  );
  assert.equal(text, 'Hello. Bye.');
  assert.equal(vtt.match(/-->/g)?.length, 2);
});

test('the transcript has the recognised language, unless nothing was said', () => {
  assert.equal(transcriptOf({ text: 'Hallo.', language: 'de', segments: [segment(0, 'Hallo.')] }, 5).language, 'de');
  assert.equal(transcriptOf({ text: 'Hallo.', language: 'de', segments: undefined }, 5).language, 'de');
  assert.equal(transcriptOf({ text: 'Hallo.', segments: undefined }, 5).language, undefined);
  assert.equal(transcriptOf({ text: ' ', language: 'cy', segments: [] }, 5).language, undefined);
});

test('words that the model rates as no speech are missing from both', () => {
  const heard = {
    text: 'Hello. Thanks for watching!',
    segments: [segment(0, 'Hello.'), segment(2, 'Thanks for watching!', 0.9, -1.4)],
  };
  const { text, vtt } = transcriptOf(heard, 5);
  assert.equal(text, 'Hello.');
  assert.ok(!vtt.includes('watching'));
  const kept = transcriptOf(
    { ...heard, segments: [segment(0, 'Hello.', 0.9, -0.3), segment(2, 'Thanks for watching!', 0.1, -1.4)] },
    5,
  );
  assert.match(kept.text, /watching/);
});

test('a model that returns no times gives one cue, and one that recognised nothing gives none', () => {
  assert.match(
    transcriptOf({ text: 'All of it.', segments: undefined }, 5).vtt,
    /00:00:00\.000 --> 00:00:05\.000\nAll of it\./,
  );
  assert.match(transcriptOf({ text: 'All of it.', segments: [] }, 5).vtt, /All of it/);
  assert.deepEqual(transcriptOf({ text: '', segments: [] }, 5), { text: '', vtt: 'WEBVTT\n' });
});

test('segments without times are kept, and if none has times there is one cue for the whole clip', () => {
  const sound = { levelsDb: Array<number>(50).fill(-20), voiceSec: Array<number>(50).fill(0.06) };
  const untimed = { ...segment(0, 'Hello.'), startSec: Number.NaN, endSec: Number.NaN };
  const { text, vtt } = transcriptOf(
    { text: 'Hello. Bye.', segments: [untimed, { ...untimed, text: 'Bye.' }] },
    5,
    sound,
  );
  assert.equal(text, 'Hello. Bye.');
  assert.match(vtt, /^WEBVTT\n\n00:00:00\.000 --> 00:00:05\.000\nHello\. Bye\.\n$/);
});

test('each segment is checked for a voice', () => {
  const sound = {
    levelsDb: Array<number>(6_000).fill(-20),
    voiceSec: Array.from({ length: 6_000 }, (_, at) => (at < 3_000 ? 0.06 : 0)),
  };
  const segments = [{ ...segment(0, 'long'), endSec: 600 }, segment(299, 'before'), segment(301, 'after')];
  assert.equal(transcriptOf({ text: 'all of it', segments }, 600, sound).text, 'long before');
});

test('too many segments become one cue with the whole text', () => {
  const heard = (count: number) => ({
    text: 'word '.repeat(count),
    segments: Array.from({ length: count }, (_, at) => segment(at / 100, 'word')),
  });
  const cues = transcriptOf(heard(10_000), 600).vtt;
  assert.deepEqual([(cues.match(/-->/g)?.length ?? 0) > 100, cues.match(/word/g)?.length], [true, 10_000]);
  const { text, vtt } = transcriptOf(heard(200_000), 600);
  assert.equal(text.length, 200_000 * 5 - 1);
  assert.equal(vtt.match(/-->/g)?.length, 1);
  const line = 'word word word word word word word word\n';
  assert.equal(vtt, `WEBVTT\n\n00:00:00.000 --> 00:10:00.000\n${line.repeat(200_000 / 8)}`);
});

test('words without a voice are left out, even if the model is confident', () => {
  const heard = { text: 'Hello. Thank you.', segments: [segment(0, 'Hello.'), segment(3, 'Thank you.')] };
  const sound = {
    levelsDb: Array<number>(50).fill(-20),
    voiceSec: Array.from({ length: 50 }, (_, at) => (at < 8 ? 0.06 : 0)),
  };
  const { text, vtt } = transcriptOf(heard, 5, sound);
  assert.deepEqual([text, vtt.includes('Thank')], ['Hello.', false]);
  const everywhere = { ...sound, voiceSec: sound.voiceSec.map(() => 0.06) };
  assert.equal(transcriptOf(heard, 5, everywhere).text, 'Hello. Thank you.');
  const doubted = { text: 'Hello.', segments: [segment(0, 'Hello.', 0.9, -1.4)] };
  assert.equal(transcriptOf(doubted, 5, everywhere).text, 'Hello.', 'the sound overrides the model');
  const timeless = { text: 'Hello.', segments: [{ ...segment(0, 'Hello.'), startSec: Number.NaN }] };
  assert.equal(transcriptOf(timeless, 5, sound).text, 'Hello.');
});

test('silence, a click and an even noise have no speech; a varying sound with a voice may have some', () => {
  const clip = (...parts: Array<[count: number, level: number]>) => {
    const levelsDb = parts.flatMap(([count, level]) => Array<number>(count).fill(level));
    return { levelsDb, voiceSec: levelsDb.map(level => (level > -50 ? 0.06 : 0)) };
  };
  assert.equal(mayHoldSpeech(clip([50, Number.NEGATIVE_INFINITY]), -50), false);
  assert.equal(mayHoldSpeech(clip([50, -62]), -50), false);
  assert.equal(mayHoldSpeech(clip([48, -60], [2, -10]), -50), false, 'a click');
  assert.equal(mayHoldSpeech(clip([25, -30], [25, -31]), -50), false, 'a fan');
  assert.equal(mayHoldSpeech(clip([45, -60], [5, -40]), -50), true, 'half a second of quiet words');
  assert.equal(mayHoldSpeech(clip([45, -30], [5, -24]), -50), true, 'words beside a fan');
  assert.equal(mayHoldSpeech(clip([40, Number.NEGATIVE_INFINITY], [10, -20]), -50), true);
  const moving = clip([40, -60], [10, -20]);
  assert.equal(mayHoldSpeech({ ...moving, voiceSec: moving.levelsDb.map(() => 0) }, -50), false, 'breath');
  assert.equal(mayHoldSpeech(clip(), -50), true, 'unmeasured sound counts as speech');
});
