import { createClient } from '@recording-request/kit-rpc/grpc-client';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import type { Random } from '@recording-request/stack/random';
import { shownIn } from '../check/archive.ts';
import { ended, submissionsOf } from '../check/wait-for-clips.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { readSlowly, type SlowAnswer } from '../harness/slow-http.ts';
import { provideSpeech } from '../harness/speech-provider.ts';
import type { Project } from '../owner/owner.ts';

/**
 * A text that exceeds the buffers between service and reader, so that a download takes as long as a download of
 * thousands of clips.
 */
const TEXT = 'good morning '.repeat(20_000);
const CLIPS = { short: 24, long: 60 };
const LANDING = { short: 10, long: 40 };
/** The number of times that a download is cut. */
const CUTS = { short: 10, long: 50 };

export const exportWhileLanding: FaultCase = {
  name: 'export-while-landing-and-erasing',
  promise:
    'An archive has the same clips in its table, texts and videos, or is cut off, and can be resumed at any byte; after an erasure the next one is whole',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  async run(harness, { random, short, signal }) {
    const form = short ? 'short' : 'long';
    const project = await harness.owner.create({ transcriptionEnabled: true });
    provideSpeech(harness, () => 0, TEXT);
    const entries = await contributeAll(harness, project, CLIPS[form], random.fork('before'), { speaks: true });
    await ended(harness, entries, 'transcript', { limitMs: 150_000, signal });

    const landed: Entry[] = [];
    const during = await download(harness, project, signal, async () => {
      landed.push(...(await contributeAll(harness, project, LANDING[form], random.fork('landing'))));
      await ended(harness, landed, 'media', { limitMs: 90_000, signal });
    });
    if (!during?.complete) harness.violated('an archive was cut off while clips landed');
    else {
      agrees(harness, during, 'while clips landed');
      await resumedAtCuts(harness, project, during, { random: random.fork('cuts'), count: CUTS[form], signal });
    }

    const erased = random.pick(entries);
    const meanwhile = await download(harness, project, signal, () => erase(harness, erased));
    if (meanwhile?.complete) agrees(harness, meanwhile, 'while a clip was erased');

    const etag = meanwhile?.headers.etag ?? during?.headers.etag;
    const resumed = await download(harness, project, signal, undefined, {
      range: 'bytes=1000-',
      'if-range': `${etag}`,
    });
    if (resumed?.status !== 200)
      harness.violated(`after an erasure If-Range continued an older archive: ${resumed?.status}`);

    const after = await download(harness, project, signal);
    if (!after?.complete) return harness.violated('after an erasure the next archive was cut off');
    const shown = agrees(harness, after, 'after an erasure');
    if (shown?.videos.has(erased.submissionId ?? '')) harness.violated('an erased clip is in the next archive');
    const left = entries.length + landed.length - 1;
    if (shown && shown.videos.size !== left)
      harness.violated(`after an erasure the archive has ${shown.videos.size} of ${left} clips`);
  },
};

/** Reads an archive. Runs `meanwhile` between its first bytes and the rest. */
function download(
  harness: Harness,
  { projectToken }: Project,
  signal: AbortSignal,
  meanwhile: () => Promise<unknown> = async () => {},
  headers: Record<string, string> = {},
): Promise<SlowAnswer | undefined> {
  const url = new URL(`/project/${projectToken}/export/project.zip`, harness.fleet.gateways[0]).href;
  return readSlowly(url, { headers, until: meanwhile, keep: true, signal });
}

/**
 * Downloads an archive, cut and resumed at random bytes. The archive must stay the same, even if more clips have
 * landed.
 */
async function resumedAtCuts(
  harness: Harness,
  { projectToken }: Project,
  { body, headers: { etag } }: SlowAnswer,
  { random, count, signal }: { random: Random; count: number; signal: AbortSignal },
): Promise<void> {
  const url = new URL(`/project/${projectToken}/export/project.zip`, harness.fleet.gateways[0]);
  const cuts = Array.from({ length: count }, () => random.integer(1, body.length - 1)).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...cuts, body.length]) {
    const cut = new AbortController();
    const answer = await fetch(url, {
      headers: { range: `bytes=${from}-`, 'if-range': `${etag}` },
      signal: AbortSignal.any([signal, cut.signal]),
    });
    if (answer.status !== 206) return harness.violated(`a download resumed at byte ${from} returned ${answer.status}`);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer.body!) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length >= to - from) break;
    }
    cut.abort();
    const piece = Buffer.concat(chunks).subarray(0, to - from);
    if (!piece.equals(body.subarray(from, to)))
      return harness.violated(`a download resumed at byte ${from} had other bytes`);
    from = to;
  }
  harness.noted(`a download of ${body.length} bytes, cut ${count} times, stayed the same`);
}

/** Reports a violation if the parts of an archive do not have the same clips. */
function agrees(harness: Harness, answer: SlowAnswer, when: string): ReturnType<typeof shownIn> | undefined {
  try {
    const shown = shownIn(answer.body);
    const sizes = [shown.json.size, shown.table.size, shown.videos.size];
    const isOne = [...shown.json].every(id => shown.table.has(id) && shown.videos.has(id));
    if (!isOne || new Set(sizes).size > 1)
      harness.violated(
        `an archive made ${when} has ${sizes[0]} clips in its JSON, ${sizes[1]} in its table, ${sizes[2]} as videos`,
      );
    return shown;
  } catch (error) {
    harness.violated(`an archive that ended normally ${when} is not whole: ${(error as Error).message}`);
    return undefined;
  }
}

async function erase(harness: Harness, entry: Entry): Promise<void> {
  using internal = await openCaller(harness.fleet.certificates.env('operator'), 'operator');
  const operator = createClient<SubmissionsOperatorServiceServer>(
    SubmissionsOperatorServiceService,
    harness.fleet.of('submissions')[0]!.operator!,
    internal.peer('submissions'),
  );
  try {
    const [submission] = await submissionsOf(harness, [entry]);
    entry.submissionId = submission!.submissionId;
    await operator.eraseSubmission({ submissionId: entry.submissionId, dryRun: false });
    entry.erased = true;
  } finally {
    operator.close();
  }
}
