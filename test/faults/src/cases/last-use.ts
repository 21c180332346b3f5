import { randomUUID } from 'node:crypto';
import { waitFor } from '@recording-request/stack/wait';
import { type ByHand, byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Bench } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';
import type { Random } from '../random.ts';

const CROWD = { short: 40, long: 100 };
const GIVEN_BACK_MS = 60_000;

export const lastUse: FaultCase = {
  name: 'last-use-is-raced-for',
  promise: 'Of a hundred who start and finish for one last use exactly one lands; the others are told why not',
  bounded: true,
  weight: 0,
  stage: { env: { CLAIM_EMPTY_HOLD_SECONDS: '15', CLAIM_SWEEP_SECONDS: '1' } },
  async run(bench, { random, short }) {
    const crowd = short ? CROWD.short : CROWD.long;
    await startForOne(bench, crowd, random.fork('start'));
    await finishForOne(bench, crowd, random.fork('finish'));
  },
};

/** All begin at once; whoever is let in sends. */
async function startForOne(bench: Bench, crowd: number, random: Random): Promise<void> {
  const project = await bench.owner.create({ sharedLinkMaxUses: 1 });
  const hands = people(bench, project, crowd, random);
  const landed = await Promise.all(
    hands.map(async hand => {
      const answer = await hand.begin();
      if (answer.status !== 201) return refuse(bench, hand, answer, 'a start for a use that is taken');
      await hand.create();
      await hand.finish(0);
      return hand.entry.outcome === 'ok';
    }),
  );
  await oneLanded(bench, project, landed, 'started');
  const late = byHand(bench, { project }, bench.take(random));
  refuse(bench, late, await late.begin(), 'a start after the last use has landed', [410]);
}

/**
 * All have begun and lost their use, because no byte came; then the owner leaves one use for all of them, and every one
 * sends.
 */
async function finishForOne(bench: Bench, crowd: number, random: Random): Promise<void> {
  const project = await bench.owner.create({ sharedLinkMaxUses: crowd });
  const hands = people(bench, project, crowd, random);
  for (const answer of await Promise.all(hands.map(hand => hand.begin())))
    if (answer.status !== 201) bench.violated(`a response could not be begun: ${answer.what}`);
  const oneIsLeft = async () => {
    const path = `/api/projects/${project.projectId}`;
    const answer = await bench.owner.ask(path, { method: 'PATCH', json: { sharedLinkMaxUses: 1 } });
    return answer.status === 200 ? true : undefined;
  };
  await waitFor('claims without a byte to be given back', oneIsLeft, {
    ...{ timeoutMs: GIVEN_BACK_MS, intervalMs: 300, checkMs: 10_000 },
  });
  const landed = await Promise.all(
    hands.map(async hand => {
      const created = await hand.create();
      if (created.status !== 201) return refuse(bench, hand, created, 'an upload for a use that is taken');
      const answer = await hand.send(0);
      if (answer.status !== 200 && answer.status !== 202)
        return refuse(bench, hand, answer, 'the bytes for a use that is taken');
      Object.assign(hand.entry, { outcome: 'ok', why: '', submissionId: answer.json().submissionId });
      return true;
    }),
  );
  await oneLanded(bench, project, landed, 'finished');
}

function people(bench: Bench, project: Project, crowd: number, random: Random): ByHand[] {
  return Array.from({ length: crowd }, (_, at) =>
    byHand(bench, { project }, bench.take(random.fork(`take ${at}`)), randomUUID()),
  );
}

function refuse(
  bench: Bench,
  { entry }: ByHand,
  answer: Parameters<typeof expectRefusal>[1],
  what: string,
  statuses = [409, 410],
): false {
  expectRefusal(bench, answer, statuses, what);
  Object.assign(entry, { outcome: 'failed', why: answer.what });
  return false;
}

async function oneLanded(bench: Bench, project: Project, landed: boolean[], verb: string): Promise<void> {
  const count = landed.filter(Boolean).length;
  if (count !== 1) bench.violated(`of ${landed.length} who ${verb} for one use ${count} landed`);
  const there = async () => {
    const { sharedLink } = await bench.owner.links(project.projectId);
    return sharedLink?.status === 'exhausted' ? true : undefined;
  };
  await waitFor('the link to be exhausted', there, { timeoutMs: 30_000, checkMs: 10_000, intervalMs: 200 }).catch(() =>
    bench.violated(`the use that ${landed.length} ${verb} for has landed, and the link is not exhausted`),
  );
}
