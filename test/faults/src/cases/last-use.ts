import { randomUUID } from 'node:crypto';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { type ByHand, byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const CROWD = { short: 40, long: 100 };
const GIVEN_BACK_MS = 60_000;

export const lastUse: FaultCase = {
  name: 'last-use-is-raced-for',
  promise: 'If a hundred contributors compete for the last use, exactly one lands; the others get the reason',
  bounded: true,
  weight: 0,
  harness: { env: { CLAIM_EMPTY_HOLD_SECONDS: '15', CLAIM_SWEEP_SECONDS: '1' } },
  async run(harness, { random, short }) {
    const crowd = short ? CROWD.short : CROWD.long;
    await startForOne(harness, crowd, random.fork('start'));
    await finishForOne(harness, crowd, random.fork('finish'));
  },
};

/** All contributors begin at once. Then the admitted contributors send. */
async function startForOne(harness: Harness, crowd: number, random: Random): Promise<void> {
  const project = await harness.owner.create({ sharedLinkMaxUses: 1 });
  const hands = contributors(harness, project, crowd, random);
  const landed = await Promise.all(
    hands.map(async hand => {
      const answer = await hand.begin();
      if (answer.status !== 201) return refuse(harness, hand, answer, 'a start for a taken use');
      await hand.create();
      await hand.finish(0);
      return hand.entry.outcome === 'ok';
    }),
  );
  await oneLanded(harness, project, landed, 'started');
  const late = byHand(harness, { project }, harness.take(random));
  refuse(harness, late, await late.begin(), 'a start after the last use has landed', [410]);
}

/**
 * All contributors begin, and lose their claimed use because they send no byte. Then the owner leaves one use, and all
 * contributors send.
 */
async function finishForOne(harness: Harness, crowd: number, random: Random): Promise<void> {
  const project = await harness.owner.create({ sharedLinkMaxUses: crowd });
  const hands = contributors(harness, project, crowd, random);
  for (const answer of await Promise.all(hands.map(hand => hand.begin())))
    if (answer.status !== 201) harness.violated(`a response could not be begun: ${answer.what}`);
  const oneIsLeft = async () => {
    const path = `/api/projects/${project.projectId}`;
    const answer = await harness.owner.ask(path, { method: 'PATCH', json: { sharedLinkMaxUses: 1 } });
    return answer.status === 200 ? true : undefined;
  };
  await waitFor('the release of claims without a byte', oneIsLeft, {
    ...{ timeoutMs: GIVEN_BACK_MS, intervalMs: 300, checkMs: 10_000 },
  });
  const landed = await Promise.all(
    hands.map(async hand => {
      const created = await hand.create();
      if (created.status !== 201) return refuse(harness, hand, created, 'an upload for a taken use');
      const answer = await hand.send(0);
      if (answer.status !== 200 && answer.status !== 202)
        return refuse(harness, hand, answer, 'the bytes for a taken use');
      Object.assign(hand.entry, { outcome: 'ok', why: '', submissionId: answer.json().submissionId });
      return true;
    }),
  );
  await oneLanded(harness, project, landed, 'finished');
}

function contributors(harness: Harness, project: Project, crowd: number, random: Random): ByHand[] {
  return Array.from({ length: crowd }, (_, at) =>
    byHand(harness, { project }, harness.take(random.fork(`take ${at}`)), randomUUID()),
  );
}

function refuse(
  harness: Harness,
  { entry }: ByHand,
  answer: Parameters<typeof expectRefusal>[1],
  what: string,
  statuses = [409, 410],
): false {
  expectRefusal(harness, answer, statuses, what);
  Object.assign(entry, { outcome: 'failed', why: answer.what });
  return false;
}

async function oneLanded(harness: Harness, project: Project, landed: boolean[], verb: string): Promise<void> {
  const count = landed.filter(Boolean).length;
  if (count !== 1) harness.violated(`of ${landed.length} contributors that ${verb} for one use ${count} landed`);
  const there = async () => {
    const { sharedLink } = await harness.owner.links(project.projectId);
    return sharedLink?.status === 'exhausted' ? true : undefined;
  };
  await waitFor('the link to be exhausted', there, { timeoutMs: 30_000, checkMs: 10_000, intervalMs: 200 }).catch(() =>
    harness.violated(`one of ${landed.length} contributors that ${verb} landed, but the link is not exhausted`),
  );
}
