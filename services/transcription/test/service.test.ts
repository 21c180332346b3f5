import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { OutageError } from '@recording-request/events/job-claims';
import type { Kafka } from '@recording-request/events/kafka';
import type { ClipOptions } from '@recording-request/fixtures/clip';
import { run } from '@recording-request/fixtures/run';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { GrpcServer } from '@recording-request/kit-rpc/grpc-server';
import type { Event, TranscriptCompleted } from '@recording-request/proto/events/v1/events';
import type { TranscriptJob } from '@recording-request/proto/work/v1/work';
import { testClip } from '@recording-request/testing/clip';
import { testEnvironment } from '@recording-request/testing/environment';
import { type EventInbox, openInbox } from '@recording-request/testing/event-inbox';
import { fakeWork, startFakeServices } from '@recording-request/testing/fake-services';
import { startTestService } from '@recording-request/testing/test-service';
import { type TestStores, testStores } from '@recording-request/testing/test-stores';
import { measureSound } from '../src/adapters/sound.ts';
import type { Speech } from '../src/adapters/speech.ts';
import { readConfig } from '../src/config.ts';
import { mayHoldSpeech } from '../src/domain/speech-levels.ts';
import { startService } from '../src/service.ts';
import { type TranscribeDeps, transcribe } from '../src/workflows/transcribe.ts';
import { sandbox } from './sandbox.ts';

const QUIETLY = ['-nostdin', '-v', 'error', '-y'];
const CONFIG = { jobSeconds: 60, attempts: 1, speechDb: -50 };
const TEXT = 'Hello my name is Anna and this is my answer to the question about the new product.';
const log = createLogger('transcription', 'silent');
let transcription: AsyncDisposable & { stores: TestStores };
const work = fakeWork();
let submissions: GrpcServer;
let objects: Objects;
let kafka: Kafka;
let inbox: EventInbox;
let scratch = '';

before(async () => {
  const environment = testEnvironment();
  scratch = await mkdtemp(join(tmpdir(), 'transcription-test-'));
  objects = testStores(environment).objects();
  await objects.ensureBucket();
  submissions = await startFakeServices([work]);
  const env = { SUBMISSIONS_GRPC: submissions.address };
  transcription = await startTestService({ name: 'transcription', readConfig, startService, environment, log, env });
  kafka = await transcription.stores.kafka();
  inbox = await openInbox(kafka, 'transcription.events');
});
after(async () => {
  await transcription?.[Symbol.asyncDispose]();
  await submissions?.close(0);
  await rm(scratch, { recursive: true, force: true });
});

/** Returns the sound of a clip as the media service stores it. */
async function audioOf(
  spec: Omit<ClipOptions, 'dir' | 'container'>,
  name: string,
): Promise<{ bytes: Buffer; durationSec: number }> {
  const clip = await testClip({ container: 'webm', ...spec });
  const path = join(scratch, `${name}.m4a`);
  const encode = ['-vn', '-c:a', 'aac', '-ac', '1', '-b:a', '64k', '-movflags', '+faststart'];
  await run('ffmpeg', [...QUIETLY, '-i', clip.path, ...encode, path]);
  return { bytes: await readFile(path), durationSec: clip.durationSec };
}

async function request(bytes: Buffer | undefined, durationSec: number, requestNumber = 1): Promise<TranscriptJob> {
  const [projectId, submissionId] = [uuidv7(), uuidv7()];
  const audioKey = `submissions/${projectId}/${submissionId}/audio.m4a`;
  if (bytes) await objects.put(audioKey, bytes, { contentType: 'audio/mp4' });
  return { projectId, submissionId, audioKey, durationSec, requestNumber };
}

const give = (value: TranscriptJob) => work.give(kafka, { $case: 'transcript', value });
const process = (deps: TranscribeDeps, job: TranscriptJob) =>
  transcribe(deps, job, { signal: AbortSignal.timeout(60_000), log });
const payloadOf = (event: Event) =>
  event.payload!.value as TranscriptCompleted & { reason: string; clipAtFault: boolean };
const answersTo = ({ submissionId }: TranscriptJob) =>
  inbox.events.filter(one => payloadOf(one).submissionId === submissionId);
const endOf = ({ submissionId }: TranscriptJob) => inbox.first(one => payloadOf(one).submissionId === submissionId);

test('speech becomes text and WebVTT with correct times, with the number of its request', async () => {
  const { bytes, durationSec } = await audioOf({ text: TEXT }, 'speech');
  const job = await request(bytes, durationSec, 3);
  await give(job);
  const completed = payloadOf(await endOf(job));
  assert.deepEqual(
    answersTo(job).map(({ type }) => type),
    ['transcript.completed'],
  );
  assert.ok(answersTo(job).every(answer => payloadOf(answer).requestNumber === 3));
  const heard = new Set(completed.text.toLowerCase().match(/[a-z']+/g));
  const words = TEXT.toLowerCase().match(/[a-z']+/g)!;
  const share = words.filter(word => heard.has(word)).length / words.length;
  assert.ok(share >= 0.6, `${Math.round(share * 100)} % of the words: ${completed.text}`);
  const times = [...completed.vtt.matchAll(/^00:00:([\d.]+) --> 00:00:([\d.]+)$/gm)].map(([, from, to]) => [
    Number(from),
    Number(to),
  ]);
  assert.ok(completed.vtt.startsWith('WEBVTT\n') && times.length > 0);
  assert.ok(times.every(([from, to]) => from! < to! && to! <= durationSec + 0.1));
  assert.ok(times.at(-1)![1]! > durationSec / 2, 'the last words are late in the clip');
});

const NOISE = 'anoisesrc=amplitude=0.5:seed=1:duration=4:color';
/** Sounds without a voice. Each has an ffmpeg source and the filter that shapes it. */
const VOICELESS: Record<string, [source: string, filter: string]> = {
  silence: ['anullsrc=r=48000:cl=mono:d=3', 'anull'],
  'an even noise': [`${NOISE}=pink`, 'anull'],
  'noise that comes and goes': [`${NOISE}=white`, 'tremolo=f=1.3:d=0.95'],
  breath: [`${NOISE}=pink`, 'bandpass=f=900:width_type=h:w=900,tremolo=f=0.4:d=0.95'],
  wind: [`${NOISE}=brown`, 'lowpass=f=400,tremolo=f=0.6:d=0.8'],
  clicks: [`${NOISE}=white`, "volume='if(lt(mod(t,0.4),0.015),1,0)':eval=frame"],
  'a hum that swells': ['aevalsrc=0.2*sin(754*t)+0.15*sin(1508*t)+0.1*sin(2262*t):d=4', 'tremolo=f=0.5:d=0.7'],
  // Four notes per second up a scale; each is struck and fades.
  music: ['aevalsrc=0.4*sin(1382*pow(2\\,floor(mod(t*4\\,8))/12)*t)*exp(-3*mod(t*4\\,1)):d=4', 'anull'],
};

test('silence, breath, hum, music and noise give a completed, empty transcript, whatever a provider recognises in them', async () => {
  for (const [name, [source, filter]] of Object.entries(VOICELESS)) {
    const path = join(scratch, 'voiceless.m4a');
    const encode = ['-ac', '1', '-c:a', 'aac', '-movflags', '+faststart'];
    await run('ffmpeg', [...QUIETLY, '-f', 'lavfi', '-i', source, '-af', filter, ...encode, path]);
    const published: Event[] = [];
    // The highest confidence that a model reports.
    const sure = { startSec: 0, endSec: 3, text: 'Thank you.', noSpeechProbability: 0, averageLogProbability: -0.1 };
    const speech: Speech = { transcribe: async () => ({ text: 'Thank you.', language: 'en', segments: [sure] }) };
    const job = await request(await readFile(path), 4);
    const publish = async (one: Event) => void published.push(one);
    const deps = { objects, kafka: { publish }, speech, config: CONFIG, sandbox };
    await process(deps, job);
    const { text, vtt, language } = payloadOf(published.at(-1)!);
    assert.equal(published.at(-1)!.type, 'transcript.completed');
    assert.deepEqual({ text, vtt, language }, { text: '', vtt: 'WEBVTT\n', language: undefined }, name);
  }
});

test('very quiet speech, and words after a long silence, still count as speech', async () => {
  const { bytes } = await audioOf({ text: TEXT }, 'quiet-source');
  const quiet = join(scratch, 'quiet.m4a');
  const source = join(scratch, 'quiet-source.m4a');
  const encode = ['-c:a', 'aac', '-movflags', '+faststart'];
  await run('ffmpeg', [...QUIETLY, '-i', source, '-af', 'volume=-24dB', ...encode, quiet]);
  const late = await audioOf({ text: 'Yes.', seconds: 60, width: 160, height: 90, frameRate: 5 }, 'late');
  for (const audio of [bytes, await readFile(quiet), late.bytes])
    assert.equal(mayHoldSpeech(await measureSound(audio, { sandbox, signal: AbortSignal.timeout(30_000) }), -50), true);
  const nothing = await measureSound(Buffer.from('no audio'), { sandbox, signal: AbortSignal.timeout(30_000) });
  assert.deepEqual(nothing.levelsDb, []);
});

test('missing audio, or more than speech-to-text accepts, fails with a sentence', async () => {
  const gone = await request(undefined, 3);
  await give(gone);
  const failed = await endOf(gone);
  assert.equal(failed.type, 'transcript.failed');
  assert.match(payloadOf(failed).reason, /no longer stored/);
  assert.equal(payloadOf(failed).clipAtFault, false);
  const large = await request(Buffer.alloc(25_000_001), 600);
  await give(large);
  const refused = payloadOf(await endOf(large));
  assert.match(refused.reason, /larger than speech-to-text takes/);
  assert.equal(refused.clipAtFault, true);
  // At one sample per second, this small file contains a day of sound.
  const day = join(scratch, 'day.mka');
  await run('ffmpeg', [
    ...QUIETLY,
    '-f',
    'u8',
    '-ar',
    '1',
    '-ac',
    '1',
    '-t',
    '86400',
    '-i',
    '/dev/zero',
    '-c',
    'copy',
    day,
  ]);
  const long = await request(await readFile(day), 86_400);
  await give(long);
  assert.match(payloadOf(await endOf(long)).reason, /^The audio is longer, or harder to read, than/);
});

test('a store or a broker that is down fails no transcript: the request is retried', async () => {
  const { bytes, durationSec } = await audioOf({ text: 'Good morning.' }, 'again');
  const job = await request(bytes, durationSec);
  const published: string[] = [];
  const down = async () => {
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  };
  const publish = async (one: Event) => void published.push(one.type);
  const speech: Speech = { transcribe: async () => ({ text: 'Good morning.', segments: undefined }) };
  const deps = { objects, kafka: { publish }, speech, config: CONFIG, sandbox };
  await assert.rejects(process({ ...deps, objects: { ...objects, get: down } }, job), OutageError);
  await assert.rejects(process({ ...deps, kafka: { publish: down } }, job), OutageError);
  assert.deepEqual(published, []);
  await process(deps, job);
  assert.equal(published.at(-1), 'transcript.completed');
});

test('a transcript that is too long for an event is stored under its submission, and the event refers to it', async () => {
  const { bytes, durationSec } = await audioOf({ text: 'Good morning.' }, 'again');
  const job = await request(bytes, durationSec);
  const published: Event[] = [];
  const publish = async (one: Event) => void published.push(one);
  const text = 'word '.repeat(80_000).trim();
  const speech: Speech = { transcribe: async () => ({ text, segments: undefined }) };
  await process({ objects, kafka: { publish }, speech, config: CONFIG, sandbox }, job);
  const { type, payload } = published.at(-1)!;
  assert.equal(type, 'transcript.completed');
  assert.ok(payload?.$case === 'transcriptStored');
  const { projectId, submissionId, key } = payload.value;
  assert.ok(key.startsWith(`submissions/${projectId}/${submissionId}/`), 'an erasure of the submission finds it');
  const stored = JSON.parse(await streamText(await objects.get(key)));
  assert.deepEqual([stored.text, stored.vtt.startsWith('WEBVTT')], [text, true]);
});
