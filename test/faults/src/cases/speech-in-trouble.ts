import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { badAnswers } from '../check/answers.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

interface Trouble {
  what: string;
  answer(response: ServerResponse): void;
  /** The final state of a transcript when all its requests met this trouble. */
  ends: 'completed' | 'failed';
}

const json = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const refusal = (message: string) => JSON.stringify({ error: { message, type: 'error' } });

const TROUBLES: Trouble[] = [
  { what: '429', answer: it => json(it, 429, refusal('Slow down.'), { 'retry-after': '1' }), ends: 'completed' },
  { what: '500', answer: it => json(it, 500, refusal('Oops.')), ends: 'completed' },
  { what: 'a broken connection', answer: it => it.destroy(), ends: 'completed' },
  { what: 'silence', answer: () => {}, ends: 'completed' },
  { what: 'broken JSON', answer: it => json(it, 200, '{"text": "half of it'), ends: 'completed' },
  {
    what: 'an answer that stops',
    answer: it => void it.writeHead(200, { 'content-length': '500' }).write('{"text'),
    ends: 'completed',
  },
  { what: 'JSON without text', answer: it => json(it, 200, '{"segments": []}'), ends: 'completed' },
  {
    what: '413',
    answer: it => json(it, 413, refusal('Maximum content size limit (26214400) exceeded.')),
    ends: 'failed',
  },
  { what: '401', answer: it => json(it, 401, refusal('Incorrect API key provided: sk-12.')), ends: 'completed' },
];

const ASKED_MS = 60_000;

export const speechInTrouble: FaultCase = {
  name: 'speech-endpoint-in-trouble',
  promise: 'Every transcript ends whatever the speech endpoint does: with words after its recovery, or with a reason',
  bounded: false,
  harness: {
    env: { KAFKA_PARTITIONS: '4' },
    serviceEnv: {
      transcription: { SPEECH_REQUEST_SECONDS: '8', TRANSCRIPTION_JOB_SECONDS: '40', TRANSCRIPTION_SLOTS: '4' },
    },
    expected: { transcriptMayFail: true },
  },
  async run(harness, { random, submissions, short }) {
    const troubles = short ? [TROUBLES[0]!, random.pick(TROUBLES.slice(1, 7)), TROUBLES[7]!] : TROUBLES;
    const each = Math.max(1, Math.round(submissions / troubles.length));
    for (const trouble of troubles) await meet(harness, trouble, each, random.fork(trouble.what));
    badAnswers(harness);
  },
};

/**
 * Sends spoken takes during the trouble. Ends the trouble when the endpoint has had a request for each take. If the
 * transcripts must fail, ends the trouble only after they have failed.
 */
async function meet(harness: Harness, { what, answer, ends }: Trouble, count: number, random: Random): Promise<void> {
  const { spoken } = await harness.projects();
  const speech = harness.proxies('speech', 'transcription');
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    request.on('error', () => {});
    request.resume().on('end', () => {
      requests += 1;
      answer(response);
    });
  };
  speech.answer(listener);
  const entries = await Promise.all(
    Array.from({ length: count }, (_, at) => {
      const mine = random.fork(`take ${at}`);
      return harness.contribute({ project: spoken }, harness.take(mine, { speaks: true }), mine);
    }),
  );
  const wait = { timeoutMs: ASKED_MS, intervalMs: 100 };
  await waitFor(
    `enough requests to the endpoint under ${what}`,
    async () => (requests >= count ? true : undefined),
    wait,
  ).catch(error => harness.violated(error.message));
  // A transcript must survive one failed attempt. If the trouble lasts, the transcript must fail in the end.
  if (ends === 'completed') await delay(random.integer(0, 1_000));
  else await allEnded(harness, entries, what);
  await speech.pass();
  if (ends === 'completed') await allEnded(harness, entries, what);
  const mine = await transcripts(harness, entries);
  for (const { submissionId, transcriptStatus, transcriptError } of mine) {
    if (transcriptStatus !== ends)
      harness.violated(`the transcript of ${submissionId} had ${what} and is ${transcriptStatus} (${transcriptError})`);
    if (/sk-12|26214400|Oops/.test(transcriptError ?? ''))
      harness.violated(`a transcript's error contains the provider's text: ${transcriptError}`);
  }
}

const transcripts = async (
  harness: Harness,
  entries: { submissionId: string | undefined; take: { sha256: string } }[],
) => {
  const { spoken } = await harness.projects();
  const hashes = new Set(entries.map(({ take }) => take.sha256));
  return (await harness.owner.submissions(spoken.projectId)).filter(({ sha256 }) => hashes.has(sha256 ?? ''));
};

async function allEnded(harness: Harness, entries: Parameters<typeof transcripts>[1], what: string): Promise<void> {
  const ended = async () => {
    const mine = await transcripts(harness, entries);
    const open = mine.filter(
      ({ transcriptStatus }) => transcriptStatus === 'pending' || transcriptStatus === 'processing',
    );
    return mine.length === entries.length && open.length === 0 ? true : undefined;
  };
  const wait = { timeoutMs: 120_000, checkMs: 10_000, intervalMs: 300 };
  await waitFor(`the end of the transcripts with ${what}`, ended, wait).catch(error => harness.violated(error.message));
}
