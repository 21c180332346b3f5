import { hashToken } from '@recording-request/contract/tokens';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

interface Ending {
  /** Completes the sentence "a link that …". */
  what: string;
  end(harness: Harness, project: Project): Promise<void>;
  /** The expected statuses of a new response after the end; undefined if a new response is accepted. */
  refused: number[] | undefined;
}

const patch = async (harness: Harness, path: string, json: Record<string, unknown>): Promise<void> => {
  const answer = await harness.owner.ask(path, { method: 'PATCH', json });
  if (answer.status !== 200) throw new Error(`${answer.what}: ${answer.bytes}`);
};

const ENDINGS: Ending[] = [
  { what: 'expires', end: expire, refused: [410] },
  {
    what: 'is disabled',
    async end(harness, { projectId }) {
      const { sharedLink } = await harness.owner.links(projectId);
      await patch(harness, `/api/projects/${projectId}/links/${sharedLink!.tokenId}`, { disabled: true });
    },
    refused: [410],
  },
  {
    what: 'now requires shorter clips, terms and answers',
    end: (harness, { projectId }) =>
      patch(harness, `/api/projects/${projectId}`, {
        ...{ maxDurationSec: 1, requireTerms: true, termsText: 'New terms.', interviewQuestions: ['Why?', 'How?'] },
        ...{ noteEnabled: true, projectName: 'Another name' },
      }),
    refused: [400],
  },
  {
    what: 'has an unreachable webhook with another secret for a while',
    async end(harness, project) {
      const path = `/api/projects/${project.projectId}`;
      await patch(harness, path, { webhookUrl: '' });
      await patch(harness, path, { webhookUrl: harness.receiver.url });
    },
    refused: undefined,
  },
];

export const linkEnds: FaultCase = {
  name: 'link-ends-in-mid-upload',
  promise:
    'A started response continues when its link expires or is disabled or its project changes; new responses are refused',
  bounded: false,
  async run(harness, { random, submissions }) {
    const each = Math.max(2, Math.ceil(submissions / ENDINGS.length));
    await Promise.all(ENDINGS.map(ending => through(harness, ending, each, random.fork(ending.what))));
  },
};

/**
 * Ends the link while contributors are at different points: some have only begun, some have sent a part, and some have
 * sent all but the last byte.
 */
async function through(harness: Harness, ending: Ending, count: number, random: Random): Promise<void> {
  const project = await harness.owner.create({ projectName: `A link that ${ending.what}` });
  const half = Array.from({ length: count }, (_, at) => begin(harness, project, at, random.fork(`take ${at}`)));
  const begun = await Promise.all(half);
  await ending.end(harness, project);
  await Promise.all(begun.map(finish => finish()));
  const late = byHand(harness, { project }, harness.take(random));
  const answer = await late.begin();
  if (ending.refused) {
    expectRefusal(harness, answer, ending.refused, `a start at a link that ${ending.what}`);
    Object.assign(late.entry, { outcome: 'failed', why: answer.what });
  } else {
    await late.create();
    await late.finish(0);
  }
}

/** Sends the first half of a take. Returns a function that sends the rest. */
async function begin(harness: Harness, project: Project, at: number, random: Random): Promise<() => Promise<void>> {
  const take = harness.take(random, { padBytes: 20_000 });
  const hand = byHand(harness, { project }, take);
  await hand.begin();
  const isCreated = at % 4 !== 0;
  if (isCreated) await hand.create();
  const sent = !isCreated ? 0 : at % 4 === 1 ? take.bytes.length - 1 : random.integer(1, take.bytes.length - 2);
  if (sent > 0) await hand.patch(0, { end: sent });
  const chunkBytes = random.integer(8_000, 40_000);
  return async () => {
    if (!isCreated) await hand.create();
    await hand.finish(sent, { chunkBytes });
  };
}

// The API accepts an hour or more, so this calls the projects service directly to set one second.
async function expire(harness: Harness, project: Project): Promise<void> {
  const token = new URL(project.sharedUrl).pathname.split('/').at(-1)!;
  const { certificates } = harness.fleet;
  using gateway = await openCaller(certificates.env('gateway'), 'gateway');
  const target = harness.fleet.of('projects')[0]!.grpc!;
  const client = createClient<ProjectsServiceServer>(ProjectsServiceService, target, gateway.peer('projects'));
  try {
    const { ownerId } = await client.resolveRecipient({ tokenHash: hashToken(token) });
    const expiry = { $case: 'expiresInSeconds', value: 1 } as const;
    await client.updateProject({ ownerId, projectId: project.projectId, expiry });
  } finally {
    client.close();
  }
  const expired = async () => {
    const { sharedLink } = await harness.owner.links(project.projectId);
    return sharedLink?.status === 'expired' ? true : undefined;
  };
  await waitFor('the link to expire', expired, { timeoutMs: 20_000, checkMs: 10_000, intervalMs: 200 });
}
