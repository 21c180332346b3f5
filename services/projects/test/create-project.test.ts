import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import type { DomainError } from '@recording-request/kit/errors';
import {
  type CreateProjectRequest,
  type Link,
  LinkStatus,
  LinkType,
} from '@recording-request/proto/projects/v1/projects';
import {
  creation,
  newOwner,
  newProject,
  outcomes,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

const CLEAR = `whsec_${randomBytes(24).toString('base64')}`;

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const reserved = async (userId: string) => (await running.accounts.getUser({ userId })).user!.videosReserved;
const projectsOf = async (ownerId: string) => (await running.projects.listProjects({ ownerId })).summaries.length;

test('a project is created with its links, its tokens and its reservation', async () => {
  const ownerId = await newOwner(running, 100);
  const made = await newProject(
    running,
    { count: 3, settings: { projectName: '  Trimmed ', sharedLinkEnabled: true, sharedLinkMaxUses: 20 } },
    ownerId,
  );
  assert.equal(made.project?.settings?.projectName, 'Trimmed');
  assert.equal(made.project?.settings?.maxDurationSec, 120);
  assert.equal(made.reservedVideoCount, 23);
  assert.equal(made.user?.videosReserved, 23);
  assert.ok(tokenIsWellFormed('prj', made.projectToken));
  assert.equal(made.uniqueLinks.length, 3);
  for (const link of [...made.uniqueLinks, made.sharedLink!]) {
    assert.ok(tokenIsWellFormed('vr', link.token));
    assert.equal(link.status, LinkStatus.LINK_STATUS_ACTIVE);
    assert.deepEqual(link.expiresAt, made.project?.expiresAt);
    const found = await running.projects.resolveRecipient({ tokenHash: hashToken(link.token) });
    assert.equal(found.linkId, link.linkId);
  }
  const listed = await running.projects.listLinks({ ownerId, projectId: made.project!.projectId });
  assert.deepEqual(listed, { sharedLink: made.sharedLink, uniqueLinks: made.uniqueLinks, nextCursor: undefined });
  assert.equal(listed.sharedLink?.linkType, LinkType.LINK_TYPE_SHARED);
  assert.deepEqual(made.project?.linkStats, {
    uniqueLinksTotal: 3,
    uniqueLinksRemaining: 3,
    sharedLinksTotal: 1,
    sharedUsesRemaining: 20,
    totalResponseCapacity: 23,
    responseSlotsUsed: 0,
    responseSlotsRemaining: 23,
  });
  const { project } = await running.projects.getProject({ ownerId, projectId: made.project!.projectId });
  assert.deepEqual(project, made.project);
  const named = await running.projects.getProject({ ownerId, projectId: made.project!.projectId, nameOnly: true });
  assert.deepEqual(named, { project: undefined, projectName: 'Trimmed', hasInvitations: false });
});

test('no token or secret is stored as plain text', async () => {
  const made = await newProject(running, { webhookSecret: CLEAR });
  const { models } = running.store;
  const kept = JSON.stringify([
    await models.projects.findById(made.project!.projectId).lean(),
    await models.links.find({ projectId: made.project!.projectId }).lean(),
  ]);
  for (const secret of [made.projectToken, made.uniqueLinks[0]!.token, CLEAR]) {
    assert.equal(kept.includes(secret), false);
  }
});

test('exactly the creations with room succeed among 50 concurrent ones at the limit of an allowance', async () => {
  const ownerId = await newOwner(running, 40);
  const counts = await outcomes(Array.from({ length: 50 }, () => newProject(running, { count: 2 }, ownerId)));
  assert.deepEqual(counts, { ok: 20, forbidden: 30 });
  assert.equal(await reserved(ownerId), 40);
  assert.equal(await projectsOf(ownerId), 20);
  await assert.rejects(newProject(running, { count: 7 }, ownerId), refusedAs('forbidden', /7 videos.*0 videos/));
  await running.operator.setAllowance({ userId: ownerId });
  await newProject(running, { count: 7 }, ownerId);
});

test('a refused creation leaves nothing behind', async () => {
  const ownerId = await newOwner(running, 5);
  const { models } = running.store;
  const before = await models.links.countDocuments();
  await assert.rejects(newProject(running, { count: 6 }, ownerId), refusedAs('forbidden', /6 videos.*5 videos/));
  assert.equal(await reserved(ownerId), 0);
  assert.equal(await projectsOf(ownerId), 0);
  assert.equal(await models.links.countDocuments(), before);
});

test('1,200 links are created and listed in order, and no answer has more than 500', async () => {
  const shared = { sharedLinkEnabled: true };
  const request = creation(await newOwner(running), { count: 1_200, idempotencyKey: 'many', settings: shared });
  const made = await running.projects.createProject(request);
  const { ownerId, projectId } = made.project!;
  assert.equal(made.project!.linkStats!.uniqueLinksTotal, 1_200);
  const listed: Link[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const page = await running.projects.listLinks({ ownerId, projectId, cursor });
    assert.ok(page.uniqueLinks.length <= 500);
    assert.deepEqual(page.sharedLink, made.sharedLink);
    listed.push(...page.uniqueLinks);
    cursor = page.nextCursor;
  }
  assert.equal(new Set(listed.map(link => link.token)).size, 1_200);
  assert.deepEqual(made.uniqueLinks, listed.slice(0, 500));
  const { uniqueLinks } = await running.projects.listLinks({ ownerId, projectId, cursor: made.linksCursor });
  assert.deepEqual(uniqueLinks[0], listed[500], 'the cursor of a creation reads the other links');
  const again = await running.projects.createProject(request);
  assert.deepEqual(again, { ...made, replayed: true });
});

test('20 concurrent requests with one Idempotency-Key create one project, and all later ones get its answer', async () => {
  const ownerId = await newOwner(running, 1_000);
  const request = creation(ownerId, { count: 5, idempotencyKey: 'once', bodyHash: randomBytes(32) });
  const counts = await outcomes(Array.from({ length: 20 }, () => running.projects.createProject(request)));
  assert.equal((counts.ok ?? 0) + (counts.conflict ?? 0), 20, JSON.stringify(counts));
  assert.ok(counts.ok! >= 1);
  const first = await running.projects.createProject(request);
  assert.deepEqual(await running.projects.createProject(request), first);
  assert.equal(await projectsOf(ownerId), 1);
  assert.equal(await reserved(ownerId), 5);
});

test('a key with another body is refused, and is free for another user', async () => {
  const [ownerId, other] = [await newOwner(running), await newOwner(running)];
  await newProject(running, { idempotencyKey: 'k' }, ownerId);
  await assert.rejects(
    newProject(running, { idempotencyKey: 'k' }, ownerId),
    refusedAs('unprocessable', /another body/),
  );
  await newProject(running, { idempotencyKey: 'k' }, other);
});

test('a key can be reused after its request failed', async () => {
  const ownerId = await newOwner(running, 1);
  const request = creation(ownerId, { count: 2, idempotencyKey: 'retry' });
  await assert.rejects(running.projects.createProject(request), refusedAs('forbidden'));
  await running.operator.setAllowance({ userId: ownerId, videoLimit: 2 });
  assert.equal((await running.projects.createProject(request)).uniqueLinks.length, 2);
});

/**
 * Leaves the record of a first request with this key; the process of this request died. According to the record, the
 * request may run for another minute.
 */
async function diedWith(request: CreateProjectRequest) {
  const { store } = running;
  const { ownerId: userId, idempotencyKey: key, bodyHash } = request;
  const session = await store.models.users.db.startSession();
  const attempt = await store.idempotency.begin({ userId, key, bodyHash: bodyHash.toString('hex') }, session);
  if (attempt.kind !== 'run') throw new Error('the key is not new');
  const leaseEndsIn = (ms: number) =>
    store.models.idempotency.updateOne({ userId, key }, { leaseUntil: new Date(Date.now() + ms) });
  return { session, attempt, leaseEndsIn };
}

test('a running request is a conflict; a dead one loses its key when its lease ends', async t => {
  const request = creation(await newOwner(running), { idempotencyKey: 'dead' });
  const { session, attempt, leaseEndsIn } = await diedWith(request);
  await assert.rejects(running.projects.createProject(request), refusedAs('conflict', /still running/));
  await assert.rejects(running.projects.createProject(request), { retryAfterSec: 5 });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 });
  await assert.rejects(running.projects.createProject(request), refusedAs('conflict', /still running/));
  t.mock.timers.reset();
  await leaseEndsIn(4_000);
  await assert.rejects(
    running.projects.createProject(request),
    ({ retryAfterSec }: DomainError) => retryAfterSec! >= 1 && retryAfterSec! <= 4,
  );
  await leaseEndsIn(-1);
  const made = await running.projects.createProject(request);
  assert.ok(made.project);
  // The supposedly dead process resumes; its transaction must not commit a second project.
  const late = running.store.transact(session, () => attempt.finish('late', 'a project'), {});
  await assert.rejects(late, refusedAs('conflict'));
  await attempt.abandon();
  await session.endSession();
  assert.deepEqual(await running.projects.createProject(request), { ...made, replayed: true });
});

test('a dead request with an open transaction is taken over when its lease ends, before the server aborts it', async () => {
  const ownerId = await newOwner(running, 10);
  const request = creation(ownerId, { count: 4, idempotencyKey: 'open' });
  const { session, attempt, leaseEndsIn } = await diedWith(request);
  await leaseEndsIn(-1);
  // The records that the dead process wrote stay locked until its transaction ends. MongoDB ends this transaction after
  // 60 s at the earliest.
  session.startTransaction();
  await running.store.users.reserve(ownerId, 4, session);
  await attempt.finish('late', 'a project');
  const made = await running.projects.createProject(request);
  await assert.rejects(session.commitTransaction(), 'a request that was taken over cannot commit');
  await session.endSession();
  assert.deepEqual(await running.projects.createProject(request), { ...made, replayed: true });
  assert.deepEqual([await projectsOf(ownerId), await reserved(ownerId)], [1, 4]);
});

test('a stored answer expires after its time, also before the database removes it', async () => {
  const ownerId = await newOwner(running);
  const request = creation(ownerId, { idempotencyKey: 'old' });
  const first = await running.projects.createProject(request);
  await running.store.models.idempotency.updateOne({ userId: ownerId }, { expireAt: new Date(Date.now() - 60_000) });
  const second = await running.projects.createProject(request);
  assert.notEqual(second.project?.projectId, first.project?.projectId);
});

test('the error of an invalid creation names the field', async () => {
  const ownerId = await newOwner(running);
  const cases: [RegExp, Parameters<typeof creation>[1]][] = [
    [/projectName/, { settings: { projectName: '   ' } }],
    [/count/, { count: 0 }],
    [/count/, { count: 10_001 }],
    [/maxDurationSec/, { settings: { maxDurationSec: 601 } }],
    [/webhookUrl/, { settings: { webhookUrl: 'http://example.org/' } }],
    [/sharedLinkMaxUses/, { settings: { sharedLinkEnabled: true, sharedLinkMaxUses: 1_000_001 } }],
    [/expiresIn/, { expiresInSeconds: 11 * 366 * 86_400 }],
    [/webhookSecret/, { webhookSecret: 'x'.repeat(513) }],
    [/webhookSecret .* base64/, { webhookSecret: 'whsec_!!!!' }],
    [/Idempotency-Key/, { idempotencyKey: 'x'.repeat(256) }],
  ];
  for (const [sentence, given] of cases) {
    await assert.rejects(newProject(running, given, ownerId), refusedAs('invalid', sentence));
  }
  const ignored = await newProject(running, { settings: { sharedLinkMaxUses: 5 } }, ownerId);
  assert.equal(ignored.reservedVideoCount, 1);
  assert.equal(ignored.project?.settings?.sharedLinkMaxUses, 0);
  assert.equal(await projectsOf(ownerId), 1);
});
