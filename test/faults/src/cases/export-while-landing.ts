import { createClient } from '@recording-request/kit/grpc-client';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import { shownIn } from '../check/archive.ts';
import { ended, submissionsOf } from '../check/wait-for-clips.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { readSlowly, type SlowAnswer } from '../harness/slow-http.ts';
import { provideSpeech } from '../harness/speech-provider.ts';
import type { Project } from '../owner/owner.ts';

/** All texts are more than the buffers between the service and a reader hold: a reading lasts, as that of thousands of clips. */
const TEXT = 'good morning '.repeat(20_000);
const CLIPS = { short: 24, long: 60 };
const LANDING = { short: 10, long: 40 };

export const exportWhileLanding: FaultCase = {
  name: 'export-while-landing-and-erasing',
  promise:
    'An archive shows one set of clips in its table, texts and videos, or breaks off; after an erasure the next one is whole',
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
    if (!during?.complete) harness.violated('an archive broke off while clips landed');
    else agrees(harness, during, 'while clips landed');

    const erased = random.pick(entries);
    const meanwhile = await download(harness, project, signal, () => erase(harness, erased));
    if (meanwhile?.complete) agrees(harness, meanwhile, 'while a clip was erased');

    const etag = meanwhile?.headers.etag ?? during?.headers.etag;
    const resumed = await download(harness, project, signal, undefined, {
      range: 'bytes=1000-',
      'if-range': `${etag}`,
    });
    if (resumed?.status !== 200)
      harness.violated(`after an erasure If-Range went on with an archive from before: ${resumed?.status}`);

    const after = await download(harness, project, signal);
    if (!after?.complete) return harness.violated('after an erasure the next archive broke off');
    const shown = agrees(harness, after, 'after an erasure');
    if (shown?.videos.has(erased.submissionId ?? '')) harness.violated('an erased clip is in the next archive');
    const left = entries.length + landed.length - 1;
    if (shown && shown.videos.size !== left)
      harness.violated(`after an erasure the archive shows ${shown.videos.size} of ${left} clips`);
  },
};

/** Reads an archive; `meanwhile` happens after its first bytes and before the rest. */
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

/** Reports where the parts of an archive do not show the same clips. */
function agrees(harness: Harness, answer: SlowAnswer, when: string): ReturnType<typeof shownIn> | undefined {
  try {
    const shown = shownIn(answer.body);
    const sizes = [shown.json.size, shown.table.size, shown.videos.size];
    const isOne = [...shown.json].every(id => shown.table.has(id) && shown.videos.has(id));
    if (!isOne || new Set(sizes).size > 1)
      harness.violated(
        `an archive made ${when} shows ${sizes[0]} clips in its JSON, ${sizes[1]} in its table, ${sizes[2]} as videos`,
      );
    return shown;
  } catch (error) {
    harness.violated(`an archive that ended as if whole ${when} is not: ${(error as Error).message}`);
    return undefined;
  }
}

async function erase(harness: Harness, entry: Entry): Promise<void> {
  const operator = createClient<SubmissionsOperatorServiceServer>(
    SubmissionsOperatorServiceService,
    harness.fleet.of('submissions')[0]!.grpc,
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
