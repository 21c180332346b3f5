import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsOf } from '@recording-request/fixtures/clip';
import { expectAnswer } from '@recording-request/harness/http-client';
import { check, checkEqual } from '../check.ts';
import { soundSpan } from '../media-tools.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import { cuesOf } from '../vtt.ts';
import { shareHeard } from '../words.ts';
import type { Settled } from './settle.ts';

/** The minimum recognised share of a clip's words, and of all words. */
const MIN_SHARE_OF_CLIP = 0.7;
const MIN_SHARE = { whisper: 0.95, pocketsphinx: 0.8 };
const FULL_STOP = /[.?!]$/;
/** The tolerance between a cue's time and the time measured in the clip's audio. */
const TOLERANCE_SEC = 0.8;

/** Checks that the transcripts have the spoken words at the right times. Resolves to the recognised share. */
export async function checkTranscripts(show: Show, owner: Owner, clips: Settled[]): Promise<number> {
  return show.play('transcripts are the words spoken, at their times', async note => {
    // The name of the embedded server's model identifies the engine. Any other endpoint must be as good as Whisper.
    const engine = show.speechModel.startsWith('pocketsphinx') ? 'pocketsphinx' : 'whisper';
    const spoken = clips.filter(({ landed }) => landed.clip.words.length > 0);
    let total = 0;
    let heard = 0;
    for (const one of spoken) {
      const share = await checkText(show, owner, one, engine);
      await checkTimes(show, owner, one);
      total += one.landed.clip.words.length;
      heard += share * one.landed.clip.words.length;
      note(`${one.name} ${percent(share)}`);
    }
    note(`${Math.round(heard)} of ${total} words heard (${percent(heard / total)})`);
    if (engine === 'pocketsphinx')
      note(
        'WARNING: by PocketSphinx, which recognises only English and writes no punctuation; Whisper is not installed or not requested',
      );
    const least = MIN_SHARE[engine];
    check(`${percent(least)} of all words to be heard`, heard / total >= least, percent(heard / total));
    return heard / total;
  });
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

async function checkText(
  { resultsDir }: Show,
  owner: Owner,
  { name, landed, submission }: Settled,
  engine: keyof typeof MIN_SHARE,
): Promise<number> {
  checkEqual(`the transcript of ${name}`, submission.transcriptStatus, 'completed');
  checkEqual(`the language heard in ${name}`, submission.language, 'en');
  const answer = await owner.get(submission.transcriptTextUrl);
  expectAnswer(answer, 200, 'text/plain');
  const text = answer.bytes.toString('utf8');
  checkEqual(`transcript.txt of ${name}`, text.trim(), submission.transcriptText?.trim());
  await save(resultsDir, name, 'transcript.txt', text);
  const share = shareHeard(landed.clip.words, wordsOf(text));
  const wanted = `${percent(MIN_SHARE_OF_CLIP)} of “${landed.clip.words.join(' ')}” to be heard in ${name}`;
  check(wanted, share >= MIN_SHARE_OF_CLIP, `${percent(share)}: “${text.trim()}”`);
  if (engine === 'whisper')
    check(`the transcript of ${name} to end in a full stop`, FULL_STOP.test(text.trim()), `“${text.trim()}”`);
  return share;
}

async function checkTimes({ resultsDir }: Show, owner: Owner, { name, landed, submission }: Settled): Promise<void> {
  const answer = await owner.get(submission.transcriptVttUrl);
  expectAnswer(answer, 200, 'text/vtt');
  const vtt = answer.bytes.toString('utf8');
  await save(resultsDir, name, 'transcript.vtt', vtt);
  const cues = cuesOf(vtt);
  let last = 0;
  for (const { start, end } of cues) {
    check(`the cues of ${name} to follow one another`, start >= last && end > start, vtt);
    last = end;
  }
  check(
    `the cues of ${name} to end within its ${landed.clip.durationSec} s`,
    last <= landed.clip.durationSec + 0.1,
    vtt,
  );
  checkEqual(
    `the words of ${name}'s cues`,
    wordsOf(cues.map(cue => cue.text).join(' ')),
    wordsOf(submission.transcriptText ?? ''),
  );
  const sound = await soundSpan(landed.clip.path);
  check(`${name} to have sound`, sound, 'silence');
  const isNear = (cue: number, wanted: number) => Math.abs(cue - wanted) <= TOLERANCE_SEC;
  const { start, end } = sound;
  check(`the first cue of ${name} near ${start} s, where its speech begins`, isNear(cues[0]!.start, start), cues[0]);
  check(`the last cue of ${name} to end near ${end} s, where its speech ends`, isNear(last, end), cues.at(-1));
}

async function save(resultsDir: string, name: string, file: string, content: string): Promise<void> {
  await mkdir(join(resultsDir, name), { recursive: true });
  await writeFile(join(resultsDir, name, file), content);
}
