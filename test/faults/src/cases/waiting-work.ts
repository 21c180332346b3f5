import { setTimeout as delay } from 'node:timers/promises';
import { ended, submissionsOf } from '../check/wait-for-clips.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import { trickle } from '../contributors/trickle.ts';
import type { FaultCase } from '../fault-case.ts';
import { provideSpeech } from '../harness/speech-provider.ts';
import { forwardTo } from '../proxy/http-forward.ts';

const SPOKEN = 15;

export const slowSpeechQueue: FaultCase = {
  name: 'slow-speech-queue',
  promise: 'A transcript that waits behind many others for a slow provider does not fail',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { env: { STUCK_SECONDS: '20' }, serviceEnv: { transcription: { TRANSCRIPTION_SLOTS: '1' } } },
  async run(harness, { random, short, signal }) {
    // The jobs take six times (short: three times) as long as the service waits before it checks for a missing result.
    const jobMs = short ? 4_000 : 8_000;
    const provider = provideSpeech(harness, () => jobMs);
    const project = await harness.owner.create({ transcriptionEnabled: true });
    const entries = await contributeAll(harness, project, SPOKEN, random, { speaks: true });
    await ended(harness, entries, 'transcript', { limitMs: SPOKEN * jobMs * 1.5 + 30_000, signal });
    const calls = provider.calls.length;
    // A few repeated calls after lost responses are normal.
    if (calls > SPOKEN * 1.2) harness.violated(`the provider got ${calls} calls for ${SPOKEN} transcripts`);
    await delay(jobMs * 3, undefined, { signal });
    if (provider.calls.length > calls)
      harness.violated(`the provider got ${provider.calls.length - calls} more calls after every transcript had ended`);
  },
};

/** The time for which the store returns 503: longer than all retries of a waiting job. */
const REFUSED_MS = { short: 36_000, long: 70_000 };
const GOOD = 12;

export const storeRefusesOneSource: FaultCase = {
  name: 'store-refuses-one-source',
  promise:
    'An upload that the store does not return blocks no other clip’s media, and gets its own media once it is readable',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    env: { STUCK_SECONDS: '4', INSPECT_SECONDS: '3', KAFKA_PARTITIONS: '1' },
    serviceEnv: { media: { MEDIA_SLOTS: '1' } },
  },
  async run(harness, { random, short, signal }) {
    let refused: string | undefined;
    let times = 0;
    const listener = forwardTo(harness.serversEnv.S3_ENDPOINT!, (request, response) => {
      const key = /\/uploads\/[^/?]+\//.exec(request.url ?? '')?.[0];
      if (request.method !== 'GET' || !key) return false;
      refused ??= key;
      if (key !== refused) return false;
      times++;
      response.writeHead(503, { 'content-type': 'application/xml' });
      response.end('<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Slow.</Message></Error>');
      return true;
    });
    const s3 = harness.proxies('s3', 'media');
    s3.answer(listener);
    const until = delay(REFUSED_MS[short ? 'short' : 'long'], undefined, { signal });
    const { plain } = await harness.projects();
    const [first] = await contributeAll(harness, plain, 1, random.fork('refused'));
    const good = await contributeAll(harness, plain, GOOD, random.fork('good'));
    await ended(harness, good, 'media', { limitMs: REFUSED_MS.short, signal });
    await until;
    if (times === 0) harness.violated('the store got no request for an upload: the case tested nothing');
    const [mine] = await submissionsOf(harness, [first!]);
    if (mine?.mediaStatus === 'failed')
      harness.violated(`the media of ${mine.submissionId} failed after the store’s errors (${mine.mediaError})`);
    await s3.pass();
  },
};

/** Longer than five overdue requests, and longer than all attempts of one transcription. */
const DOWN_MS = { short: 30_000, long: 50_000 };
const DOWN_TAKES = { short: 12, long: 40 };

export const mediaAway: FaultCase = {
  name: 'media-and-speech-away',
  promise:
    'A worker or provider that is down for hours costs time but no clip: all media and transcripts follow its return',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    env: { STUCK_SECONDS: '4' },
    serviceEnv: { transcription: { TRANSCRIPTION_ATTEMPTS: '3' } },
  },
  async run(harness, { random, short, signal }) {
    const form = short ? 'short' : 'long';
    const downMs = DOWN_MS[form];
    const { fleet } = harness;
    const [media] = fleet.of('media');
    const speech = harness.proxies('speech');
    await harness.projects();
    await speech.down();
    await fleet.kill(media!);
    const entries = await trickle(harness, DOWN_TAKES[form], random, { overMs: downMs / 3, speech: 0.4 });
    for (const { outcome, why } of entries)
      if (outcome !== 'ok') harness.violated(`a clip did not land while media was down: ${why}`);
    await delay((downMs * 2) / 3, undefined, { signal });
    await fleet.start(media!);
    await ended(harness, entries, 'media', { limitMs: 90_000, signal });
    await delay(downMs, undefined, { signal });
    await speech.pass();
  },
};
