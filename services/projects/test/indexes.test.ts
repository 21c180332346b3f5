import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { begin, newProject, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

interface Plan {
  stage: string;
  indexName?: string;
  inputStage?: Plan;
}

/** The stages of a winning plan from the top down, `IXSCAN(name)` for an index. */
function stagesOf(explained: unknown): string[] {
  const whole = explained as { queryPlanner?: object; stages?: { $cursor?: { queryPlanner: object } }[] };
  const planner = (whole.queryPlanner ?? whole.stages?.[0]?.$cursor?.queryPlanner) as {
    winningPlan: Plan & { queryPlan?: Plan };
  };
  const stages: string[] = [];
  for (let at: Plan | undefined = planner.winningPlan.queryPlan ?? planner.winningPlan; at; at = at.inputStage) {
    stages.push(at.indexName ? `${at.stage}(${at.indexName})` : at.stage);
  }
  return stages;
}

test('the main queries use their index, and the stats read nothing else', async () => {
  const made = await newProject(running, { count: 50, settings: { sharedLinkEnabled: true } });
  await begin(running, made.sharedLink!.linkId);
  const { ownerId, projectId } = made.project!;
  const { links, projects, tokens, responses } = running.store.models;
  const hash = Buffer.alloc(32);
  const linkId = made.uniqueLinks[0]!.linkId;

  const sums = { $group: { _id: '$projectId', used: { $sum: { $add: ['$claimed', '$landed'] } } } };
  const ofOwner = { ownerId, projectId: { $in: [projectId] }, type: 'unique' as const };
  const stats = stagesOf(await links.aggregate([{ $match: ofOwner }, sums]).explain());
  assert.ok(stats.includes('IXSCAN(unique_link_stats)'), stats.join());
  assert.equal(stats.includes('FETCH'), false, stats.join());

  const plans: [string, unknown][] = [
    ['ownerId_1__id_-1', await projects.find({ ownerId }).sort({ _id: -1 }).explain()],
    ['dashboardHash_1', await projects.find({ dashboardHash: hash }).explain()],
    ['hash_1', await tokens.find({ hash }).explain()],
    ['former_hash', await tokens.find({ 'former.hash': hash }).explain()],
    ['hash_1', await links.find({ hash }).explain()],
    ['projectId_1_position_1', await links.find({ projectId, ownerId }).sort({ position: 1 }).explain()],
    ['linkId_1', await responses.find({ linkId, solo: true }).explain()],
    [
      'empty_claims',
      await responses
        .find({ use: 'held', hasBytes: false, heldUntil: { $lte: new Date() } })
        .sort({ heldUntil: 1 })
        .explain(),
    ],
    [
      'open_transfers',
      await responses
        .find({ 'transfer.leaseUntil': { $lt: new Date() } })
        .sort({ 'transfer.leaseUntil': 1 })
        .explain(),
    ],
  ];
  for (const [index, explained] of plans) {
    const stages = stagesOf(explained);
    assert.ok(stages.includes(`IXSCAN(${index})`), `${index}: ${stages.join()}`);
    assert.equal(stages.includes('SORT'), false, stages.join());
  }
});
