import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { until } from '@recording-request/testing/wait';
import type { Response } from '../src/domain/response.ts';
import { createTransferSteps, refOf } from '../src/store/transfer-steps.ts';
import { createTransfers } from '../src/store/transfers.ts';
import { begin, counters, newProject, startTestProjects, type TestProjects } from './test-service.ts';

const LEASE_MS = 30_000;

let running: TestProjects;
let steps: ReturnType<typeof createTransferSteps>;
let transfers: ReturnType<typeof createTransfers>;
before(async () => {
  running = await startTestProjects();
  const { models } = running.store;
  steps = createTransferSteps(models, LEASE_MS);
  transfers = createTransfers(models, { leaseMs: LEASE_MS, settleDelayMs: 1, log: createLogger('test', 'silent') });
});
after(async () => {
  await transfers.stop();
  await running[Symbol.asyncDispose]();
});

/** Makes the leases of a link's transfers expire in the past. */
const outlast = (linkId: string) =>
  running.store.models.responses.updateMany(
    { linkId, transfer: { $exists: true } },
    { $set: { 'transfer.leaseUntil': new Date(0) } },
  );

async function linkWith(uses: number): Promise<string> {
  const made = await newProject(running, { settings: { sharedLinkEnabled: true, sharedLinkMaxUses: uses } });
  return made.sharedLink!.linkId;
}

async function heldResponse(linkId: string): Promise<Response> {
  const { responseSessionId } = await begin(running, linkId);
  await counters(running, linkId);
  return (await running.store.responses.find(`${linkId}:${responseSessionId}`))!;
}

/** Makes a response with a recorded claim, without any later step. */
async function intendedClaim(linkId: string): Promise<Response> {
  const pattern = await heldResponse(linkId);
  const sessionId = crypto.randomUUID();
  const transfer = steps.make('begin', new Date());
  const response = { ...pattern, _id: `${linkId}:${sessionId}`, sessionId, use: 'claiming', transfer } as const;
  assert.equal(await running.store.responses.insert(response), true);
  return response;
}

async function intendedLanding(linkId: string): Promise<Response> {
  const held = await heldResponse(linkId);
  const answers = [{ questionIndex: 0, submissionId: crypto.randomUUID(), at: new Date() }];
  const landing = steps.make('land', new Date());
  const change = { use: 'landed', answers, complete: true } as const;
  return (await running.store.responses.beginTransfer(held._id, { use: 'held', answers: 0 }, change, landing))!;
}

/**
 * The steps that a process finished before it died, one case for each place where it can die; and the ids that then
 * stay in the link.
 */
const DEATHS: [string, (response: Response) => Promise<void>, applied: number][] = [
  ['before the link applied it', async () => {}, 0],
  ['after the link applied it', async response => void (await steps.applyToLink(response, [response.transfer!])), 0],
  [
    'after the response dropped it',
    async response => {
      await steps.applyToLink(response, [response.transfer!]);
      assert.equal((await steps.drop([refOf(response)])).length, 1);
    },
    1,
  ],
];

async function sweepUntilDone(linkId: string): Promise<void> {
  const { responses } = running.store.models;
  const isDone = async () => (await responses.countDocuments({ linkId, transfer: { $exists: true } })) === 0;
  await until('the sweeper finishes it', async () => {
    if (await isDone()) return true;
    await outlast(linkId);
    // Several replicas sweep at the same time.
    await Promise.all([transfers.sweep(new Date()), transfers.sweep(new Date()), transfers.sweep(new Date())]);
    return isDone();
  });
}

for (const [where, die, applied] of DEATHS) {
  test(`a claim whose process died ${where} is applied once`, async () => {
    const linkId = await linkWith(5);
    const response = await intendedClaim(linkId);
    await die(response);
    await sweepUntilDone(linkId);
    assert.deepEqual(await counters(running, linkId, applied), { claimed: 2, landed: 0, submissionCount: 0, applied });
    assert.equal((await running.store.responses.find(response._id))?.use, 'held');
  });

  test(`a landing whose process died ${where} is counted once`, async () => {
    const linkId = await linkWith(5);
    await die(await intendedLanding(linkId));
    await sweepUntilDone(linkId);
    assert.deepEqual(await counters(running, linkId, applied), { claimed: 0, landed: 1, submissionCount: 1, applied });
  });
}

test('an interrupted claim on a link that is full meanwhile leaves nothing behind', async () => {
  const linkId = await linkWith(2);
  const response = await intendedClaim(linkId);
  await begin(running, linkId);
  await sweepUntilDone(linkId);
  assert.equal(await running.store.responses.find(response._id), null);
  assert.equal((await counters(running, linkId)).claimed, 2);
});

test('a former holder that wakes up late cannot apply, mark or undo', async () => {
  const linkId = await linkWith(5);
  const stale = await intendedClaim(linkId);
  await sweepUntilDone(linkId);
  const transfer = { ...stale.transfer!, leaseUntil: new Date(Date.now() - 60_000) };
  assert.deepEqual(await steps.applyToLink(stale, [transfer]), ['lease_lost']);
  await steps.drop([refOf(stale)]);
  await steps.undo(stale._id, stale.transfer!);
  assert.equal((await running.store.responses.find(stale._id))?.use, 'held');
  assert.equal((await counters(running, linkId)).claimed, 2);
});

test('after a take-over, the former holder cannot clear the transfer that the new one applies', async () => {
  const linkId = await linkWith(5);
  const former = await intendedClaim(linkId);
  assert.deepEqual(await steps.applyToLink(former, [former.transfer!]), ['applied']);
  assert.equal(await steps.takeOver(former._id), null, 'its lease is still valid');
  await outlast(linkId);
  const taken = await steps.takeOver(former._id);
  assert.deepEqual(await steps.drop([refOf(former)]), [], 'another holder has it');
  assert.deepEqual(
    await steps.applyToLink(former, [taken!.transfer!]),
    ['applied'],
    'the link has the transfer already',
  );
  assert.equal((await running.store.links.find(former))?.claimed, 2);
  await sweepUntilDone(linkId);
  assert.deepEqual(await counters(running, linkId), { claimed: 2, landed: 0, submissionCount: 0, applied: 0 });
});

test('a repeated session finishes an interrupted claim', async () => {
  const linkId = await linkWith(5);
  const response = await intendedClaim(linkId);
  await outlast(linkId);
  let seen: Response | null = null;
  while (!seen) seen = await transfers.settled(response._id).catch(() => null);
  assert.equal(seen.use, 'held');
  assert.equal((await begin(running, linkId, response.sessionId)).held, true);
  assert.equal((await counters(running, linkId)).claimed, 2);
});

test('transfers written together each have their own outcome', async () => {
  const linkId = await linkWith(3);
  const held = await heldResponse(linkId);
  const make = (kind: 'begin' | 'release') => steps.make(kind, new Date());
  const there = make('begin');
  assert.deepEqual(await steps.applyToLink(held, [there]), ['applied']);
  const late = { ...make('begin'), leaseUntil: new Date(Date.now() - 60_000) };
  const outcomes = await steps.applyToLink(held, [make('begin'), there, late, make('begin'), make('begin')]);
  assert.deepEqual(outcomes, ['applied', 'applied', 'lease_lost', 'refused', 'refused']);
  assert.deepEqual(await steps.applyToLink(held, [make('release'), make('begin')]), ['applied', 'refused']);
  assert.equal((await running.store.links.find(held))?.claimed, 2);
  await running.store.models.links.updateOne({ _id: linkId }, { disabled: true });
  assert.deepEqual(await steps.applyToLink(held, [make('begin'), make('release')]), ['refused', 'applied']);
  assert.equal(held.use, 'held');
});
