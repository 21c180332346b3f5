import { waitFor } from '@recording-request/stack/wait';
import { submissionsOf } from '../check/wait-for-clips.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { provideSpeech } from '../harness/speech-provider.ts';

const CLIPS = { short: 60, long: 500 };
const AT_ONCE = 24;
const JOB_MS = 400;
/** The limit from the landing of a clip until it has media and a transcript. */
const SINGLE_MS = 30_000;
/** The shares of the first owner's clips that must be done before each clip of the other owner lands. */
const MOMENTS = [0, 0.2, 0.4];
const STALLED_MS = 120_000;

export const oneOwnerManyClips: FaultCase = {
  name: 'one-owner-many-clips',
  promise:
    'While very many clips of one owner wait, the single clip of another is processed and transcribed within 30 s by the same workers',
  bounded: false,
  weight: 0,
  limitMs: 30 * 60_000,
  restMs: 15 * 60_000,
  harness: {
    // The inspection timeout is short, because media is down at first.
    env: { INSPECT_SECONDS: '1', MEDIA_SLOTS: '1', TRANSCRIPTION_SLOTS: '1', STUCK_SECONDS: '120' },
  },
  async run(harness, { random, short, signal }) {
    const count = CLIPS[short ? 'short' : 'long'];
    provideSpeech(harness, () => JOB_MS);
    const settings = { transcriptionEnabled: true };
    const many = await harness.owner.create(settings);
    const single = await harness.owner.createFor(await harness.anotherOwner(), settings);
    const [media] = harness.fleet.of('media');
    await harness.fleet.stop(media!);
    const entries = await contributeAll(harness, many, count, random, { speaks: true, width: AT_ONCE });
    await harness.fleet.start(media!);
    for (const [at, share] of MOMENTS.entries()) {
      await someEnded(harness, entries, Math.floor(share * count), signal);
      const [entry] = await contributeAll(harness, single, 1, random.fork(`single ${at}`), { speaks: true });
      const began = Date.now();
      const ended = () => openOf(harness, [entry!]).then(open => (open === 0 ? true : undefined));
      await waitFor('the single clip', ended, { timeoutMs: SINGLE_MS, checkMs: 10_000, intervalMs: 250, signal }).catch(
        () => {
          signal.throwIfAborted();
          harness.violated(
            `the single clip of one owner was not done after ${SINGLE_MS} ms behind another owner's clips`,
          );
        },
      );
      const tookMs = Date.now() - began;
      const waiting = await openOf(harness, entries);
      harness.noted(`a single clip was done after ${tookMs} ms, while ${waiting} clips of another owner waited`);
      if (waiting === 0) harness.violated('no clips waited before the single one: the case tested nothing');
    }
    await someEnded(harness, entries, count, signal);
  },
};

/** Returns the number of clips without media or transcript. */
async function openOf(harness: Harness, entries: Entry[]): Promise<number> {
  const mine = await submissionsOf(harness, entries);
  const done = mine.filter(it => it.mediaStatus !== 'processing' && /completed|failed/.test(it.transcriptStatus ?? ''));
  return entries.length - done.length;
}

/** Waits until `wanted` clips are done. Rejects when progress stops. */
async function someEnded(harness: Harness, entries: Entry[], wanted: number, signal: AbortSignal): Promise<void> {
  let ended = 0;
  const look = async () => {
    const now = entries.length - (await openOf(harness, entries));
    return now >= wanted || now > ended ? now : undefined;
  };
  const patience = { timeoutMs: STALLED_MS, checkMs: 20_000, intervalMs: 1_000, signal };
  while (ended < wanted) ended = await waitFor(`more than ${ended} clips to be done`, look, patience);
}
