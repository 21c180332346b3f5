import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import { sweep, sweepEmptyClaims } from '../src/workflows/sweep.ts';
import {
  begin,
  counters,
  land,
  newProject,
  patch,
  refusedAs,
  session,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const MINUTE = 60_000;
const later = (ms: number) => new Date(Date.now() + ms);
const renew = async (linkId: string, responseSessionId: string) => {
  await running.projects.renewResponse({ linkId, responseSessionId });
  return (await running.projects.getResponse({ linkId, responseSessionId })).response!;
};
const release = (linkId: string, responseSessionId: string) =>
  running.projects.releaseResponse({ linkId, responseSessionId });

async function sharedLink(uses: number, expiresInSeconds?: number) {
  const settings = { sharedLinkEnabled: true, sharedLinkMaxUses: uses };
  const made = await newProject(running, { settings, expiresInSeconds });
  return { made, linkId: made.sharedLink!.linkId };
}

async function expire(projectId: string) {
  await running.store.models.projects.updateOne(
    { _id: projectId },
    { $set: { expiresAt: new Date(Date.now() - 60_000) } },
  );
}

test('a claim without any byte is released after 30 minutes; one with bytes is not', async () => {
  const { linkId } = await sharedLink(3);
  const empty = await begin(running, linkId);
  const withBytes = await begin(running, linkId);
  const renewed = await renew(linkId, withBytes.responseSessionId);
  assert.ok(Math.abs(renewed.heldUntil!.getTime() - later(7 * 24 * 60 * MINUTE).getTime()) < MINUTE);
  assert.ok(Math.abs(empty.heldUntil!.getTime() - later(30 * MINUTE).getTime()) < MINUTE);

  await sweepEmptyClaims(running, later(29 * MINUTE));
  assert.equal((await counters(running, linkId)).claimed, 2);
  await sweepEmptyClaims(running, later(31 * MINUTE));
  await sweepEmptyClaims(running, later(8 * 24 * 60 * MINUTE));
  assert.equal((await counters(running, linkId)).claimed, 1);
  const { response } = await running.projects.getResponse({ linkId, responseSessionId: empty.responseSessionId });
  assert.equal(response?.held, false);
  assert.equal(response?.heldUntil, undefined);
});

test('a released use is claimed again at the next byte: 409 while others hold it, 410 when all have landed', async () => {
  const { linkId } = await sharedLink(1);
  const first = await begin(running, linkId);
  assert.deepEqual(await release(linkId, first.responseSessionId), { released: true });
  assert.deepEqual(await release(linkId, first.responseSessionId), { released: true });
  assert.equal((await renew(linkId, first.responseSessionId)).held, true);
  await release(linkId, first.responseSessionId);

  const second = await begin(running, linkId);
  await assert.rejects(renew(linkId, first.responseSessionId), refusedAs('conflict'));
  await land(running, linkId, second.responseSessionId);
  await assert.rejects(renew(linkId, first.responseSessionId), refusedAs('gone'));
  await assert.rejects(land(running, linkId, first.responseSessionId), refusedAs('gone'));
  assert.deepEqual(await release(linkId, second.responseSessionId), { released: false });
  assert.deepEqual(await counters(running, linkId), { claimed: 0, landed: 1, submissionCount: 1, applied: 0 });
});

for (const aheadMs of [-12_000, 12_000]) {
  test(`a service whose clock is ${aheadMs} ms ahead claims, holds, lands and sweeps correctly`, async t => {
    const { linkId } = await sharedLink(2);
    const held = await begin(running, linkId);
    // Moves the clock by more than the lease of the transfer of a running claim.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + aheadMs });
    const claimed = await begin(running, linkId);
    assert.equal(claimed.held, true);
    const heldMs = claimed.heldUntil!.getTime() - held.heldUntil!.getTime();
    assert.ok(heldMs >= 0 && heldMs < 10_000, `both are held for as long: ${heldMs} ms apart`);
    await sweep(running);
    assert.equal((await counters(running, linkId)).claimed, 2);
    assert.equal((await land(running, linkId, claimed.responseSessionId)).landed, true);
    t.mock.timers.reset();
    assert.deepEqual(await counters(running, linkId), { claimed: 1, landed: 1, submissionCount: 1, applied: 0 });
  });
}

test('a clip that lands for a response with a released use claims a use again', async () => {
  const { linkId } = await sharedLink(1);
  const { responseSessionId } = await begin(running, linkId);
  await release(linkId, responseSessionId);
  assert.equal((await land(running, linkId, responseSessionId)).landed, true);
  assert.deepEqual(await counters(running, linkId), { claimed: 0, landed: 1, submissionCount: 1, applied: 0 });
});

test('an expired link accepts no new claims, but a response that has begun continues and claims again', async () => {
  const { made, linkId } = await sharedLink(5);
  const begun = await begin(running, linkId);
  const givenBack = await begin(running, linkId);
  await release(linkId, givenBack.responseSessionId);
  await expire(made.project!.projectId);

  await assert.rejects(begin(running, linkId), refusedAs('gone', /expired/));
  assert.equal((await renew(linkId, begun.responseSessionId)).held, true);
  assert.equal((await renew(linkId, givenBack.responseSessionId)).held, true);
  assert.equal((await land(running, linkId, begun.responseSessionId)).landed, true);
});

test('a disabled link accepts no claims, but a response with a use continues', async () => {
  const { made, linkId } = await sharedLink(5);
  const begun = await begin(running, linkId);
  const givenBack = await begin(running, linkId);
  await release(linkId, givenBack.responseSessionId);
  const { ownerId, projectId } = made.project!;
  await running.projects.updateLink({ ownerId, projectId, linkId, disabled: true });

  await assert.rejects(begin(running, linkId), refusedAs('gone', /disabled/));
  await assert.rejects(renew(linkId, givenBack.responseSessionId), refusedAs('gone', /disabled/));
  assert.equal((await renew(linkId, begun.responseSessionId)).held, true);
  assert.equal((await land(running, linkId, begun.responseSessionId)).landed, true);
  await running.projects.updateLink({ ownerId, projectId, linkId, disabled: false });
  assert.equal((await renew(linkId, givenBack.responseSessionId)).held, true);
});

test('a response keeps the settings of its beginning, except transcription', async () => {
  const { made, linkId } = await sharedLink(5);
  const before = await begin(running, linkId);
  assert.equal(before.settings?.transcriptionLanguage, '');
  await running.projects.updateProject(
    patch(made.project, {
      ...{ maxDurationSec: 33, transcriptionEnabled: true, transcriptionLanguage: 'de' },
      interviewQuestions: ['Q?'],
    }),
  );
  const { response } = await running.projects.getResponse({ linkId, responseSessionId: before.responseSessionId });
  assert.equal(response?.settings?.maxDurationSec, 120);
  assert.deepEqual(response?.settings?.interviewQuestions, []);
  assert.equal(response?.settings?.transcriptionEnabled, true);
  assert.equal(response?.settings?.transcriptionLanguage, 'de');
  const afterwards = await begin(running, linkId);
  assert.equal(afterwards.settings?.maxDurationSec, 33);
  assert.deepEqual(afterwards.settings?.interviewQuestions, ['Q?']);
  assert.equal(afterwards.settings?.transcriptionLanguage, 'de');
});

test('another device can begin a unique link again if the first device sent no byte', async () => {
  const made = await newProject(running);
  const linkId = made.uniqueLinks[0]!.linkId;
  const left = await begin(running, linkId);
  assert.equal((await counters(running, linkId)).claimed, 1);
  await sweepEmptyClaims(running, later(31 * MINUTE));
  await running.projects.updateProject(patch(made.project, { maxDurationSec: 44 }));
  const again = await begin(running, linkId);
  assert.equal(again.responseSessionId, left.responseSessionId);
  assert.equal(again.settings?.maxDurationSec, 44);
  assert.equal((await counters(running, linkId)).claimed, 1);
});

test('required terms must be accepted, and the accepted text is kept', async () => {
  const settings = { requireTerms: true, termsText: 'You agree to ☕.' };
  const made = await newProject(running, { settings });
  const linkId = made.uniqueLinks[0]!.linkId;
  await assert.rejects(begin(running, linkId), refusedAs('invalid', /terms/));
  assert.equal((await counters(running, linkId)).claimed, 0);
  const { terms, responseSessionId } = await begin(running, linkId, session(), true);
  assert.equal(terms?.text, 'You agree to ☕.');
  assert.equal(terms?.sha256, '614350b3eae7120db55c7f1ef91c6f95cad9b75db29f0e56433d97766f0f21c6');
  assert.ok(terms?.acceptedAt);
  await assert.rejects(begin(running, linkId, session(), false), refusedAs('invalid', /terms/));
  assert.equal(
    (await begin(running, linkId, responseSessionId, false)).held,
    true,
    'accepted terms need no second acceptance',
  );
});

test('while its owner is disabled, a link accepts no new response, and begun ones land', async () => {
  const { made, linkId } = await sharedLink(5);
  const solo = made.uniqueLinks[0]!.linkId;
  const [held, empty, own] = [await begin(running, linkId), await begin(running, linkId), await begin(running, solo)];
  for (const each of [linkId, solo]) await counters(running, each);
  await sweepEmptyClaims(running, later(31 * MINUTE));
  const userId = made.project!.ownerId;
  await running.operator.setUserDisabled({ userId, disabled: true });

  await assert.rejects(begin(running, linkId), refusedAs('gone', /was disabled/));
  const tokenHash = hashToken(made.sharedLink!.token);
  assert.equal((await running.projects.resolveRecipient({ tokenHash })).status, LinkStatus.LINK_STATUS_DISABLED);
  assert.equal((await begin(running, linkId, held.responseSessionId)).responseSessionId, held.responseSessionId);
  await renew(linkId, held.responseSessionId);
  assert.equal((await land(running, linkId, held.responseSessionId)).landed, true);
  await renew(linkId, empty.responseSessionId);
  assert.equal((await land(running, linkId, empty.responseSessionId)).landed, true, 'although its use was released');
  await assert.rejects(begin(running, solo), refusedAs('gone', /was disabled/), 'another device begins it again');
  assert.equal((await land(running, solo, own.responseSessionId)).landed, true);

  await running.operator.setUserDisabled({ userId, disabled: false });
  assert.equal((await running.projects.resolveRecipient({ tokenHash })).status, LinkStatus.LINK_STATUS_ACTIVE);
  await begin(running, linkId);
});
