import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { LinkStatus, OnDuplicate } from '@recording-request/proto/projects/v1/projects';
import { until } from '@recording-request/testing/wait';
import {
  begin,
  creation,
  land,
  type NewProject,
  newOwner,
  newProject,
  outcomes,
  patch,
  refusedAs,
  startTestProjects,
  type TestProjects,
} from './test-service.ts';

const LIFE_MS = 3_600_000;
let running: TestProjects;
before(async () => {
  running = await startTestProjects({ SANDBOX_SECONDS: String(LIFE_MS / 1_000) });
});
after(() => running[Symbol.asyncDispose]());

const sandbox = (given: NewProject = {}): NewProject => ({
  ...given,
  settings: { sandbox: true, maxDurationSec: 15, ...given.settings },
});
const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 100 };
const reserved = async (userId: string) => (await running.accounts.getUser({ userId })).user?.videosReserved;

/** Ends a sandbox now. */
const end = (projectId: string) =>
  running.store.models.projects.updateOne(
    { _id: projectId },
    [{ $set: { sandboxEndsAt: '$$NOW', sandboxDueAt: { $subtract: ['$$NOW', 60_000] } } }] as never,
    { updatePipeline: true },
  );
const take = async (limit = 100) =>
  (await running.projects.takeEndedSandboxes({ limit })).sandboxes.map(({ projectId }) => projectId);

test('a sandbox is marked, and uses nothing of the allowance', async () => {
  const ownerId = await newOwner(running, 2);
  const made = await newProject(running, sandbox({ count: 5, settings: shared }), ownerId);
  const { projectId, sandboxEndsAt, createdAt } = made.project!;
  assert.equal(sandboxEndsAt!.getTime() - createdAt!.getTime(), LIFE_MS);
  assert.deepEqual([made.reservedVideoCount, made.user?.videosReserved], [0, 0]);
  assert.ok([made.sharedLink, ...made.uniqueLinks].every(link => link?.sandbox));
  await running.projects.updateProject(patch(made.project, { sharedLinkMaxUses: 300 }));
  await running.projects.updateProject(patch(made.project, { sharedLinkMaxUses: 50 }));
  const more = { ownerId, projectId, invitations: Array(7).fill({ metadata: {} }), dryRun: false };
  const added = { ...more, onDuplicate: OnDuplicate.ON_DUPLICATE_ERROR, idempotencyKey: '', bodyHash: Buffer.alloc(0) };
  assert.equal((await running.projects.addLinks({ ...added, dryRun: true })).allowanceAfter, 2);
  assert.equal((await running.projects.addLinks(added)).allowanceAfter, 2);
  const [link] = made.uniqueLinks;
  const response = await begin(running, link!.linkId);
  assert.equal(response.settings?.sandbox, true);
  await land(running, link!.linkId, response.responseSessionId);
  await running.operator.eraseProject({ projectId, dryRun: false });
  assert.equal(await reserved(ownerId), 0);
  const { project } = await newProject(running, { count: 2 }, ownerId);
  assert.deepEqual([project?.settings?.sandbox, project?.sandboxEndsAt], [false, undefined]);
  await assert.rejects(newProject(running, { count: 1 }, ownerId), refusedAs('forbidden', /allowance/));
});

test('the links of a sandbox expire with it at the latest', async () => {
  const made = await newProject(running, sandbox({ expiresInSeconds: undefined }));
  const { sandboxEndsAt } = made.project!;
  const expiryOf = async (expiry: object) =>
    (await running.projects.updateProject({ ...patch(made.project, {}), ...expiry })).project?.expiresAt;
  assert.deepEqual(made.project?.expiresAt, sandboxEndsAt);
  assert.ok((await expiryOf({ expiry: { $case: 'expiresInSeconds', value: 60 } }))! < sandboxEndsAt!);
  assert.deepEqual(await expiryOf({ expiry: { $case: 'neverExpire', value: true } }), sandboxEndsAt);
  assert.deepEqual(await expiryOf({ expiry: { $case: 'expiresInSeconds', value: 86_400 } }), sandboxEndsAt);
});

test('long clips, many clips and a change of the kind are refused', async () => {
  const long = refusedAs('invalid', /^maxDurationSec must be at most 15 in a sandbox\.$/);
  const many = refusedAs('invalid', /at most 1,000 clips.*sharedLinkMaxUses/);
  await assert.rejects(newProject(running, sandbox({ settings: { maxDurationSec: 16 } })), long);
  await assert.rejects(newProject(running, sandbox({ count: 1_001 })), many);
  const interviewQuestions = Array(10).fill('Why?');
  await assert.rejects(newProject(running, sandbox({ settings: { ...shared, interviewQuestions } })), many);
  const made = await newProject(running, sandbox({ count: 100, settings: shared }));
  const change = (settings: Parameters<typeof patch>[1]) =>
    running.projects.updateProject(patch(made.project, settings));
  await assert.rejects(change({ maxDurationSec: 16 }), long);
  await assert.rejects(change({ interviewQuestions }), many);
  await assert.rejects(change({ sharedLinkMaxUses: 901 }), many);
  await change({ sharedLinkMaxUses: 900 });
  await assert.rejects(change({ sandbox: false } as never), refusedAs('invalid', /"sandbox" is not a field/));
  const { ownerId, projectId } = made.project!;
  const more = { ownerId, projectId, invitations: [{ metadata: {} }], onDuplicate: OnDuplicate.ON_DUPLICATE_ERROR };
  for (const dryRun of [true, false])
    await assert.rejects(
      running.projects.addLinks({ ...more, dryRun, idempotencyKey: '', bodyHash: Buffer.alloc(0) }),
      many,
    );
});

test('an owner creates ten sandboxes in the lifetime of one, also with concurrent requests and erasures', async () => {
  const ownerId = await newOwner(running, 0);
  const create = () => running.projects.createProject(creation(ownerId, sandbox()));
  assert.deepEqual(await outcomes(Array.from({ length: 14 }, create)), { ok: 10, forbidden: 4 });
  const { summaries } = await running.projects.listProjects({ ownerId });
  assert.ok(summaries.every(summary => summary.sandbox));
  await running.operator.eraseProject({ projectId: summaries[0]!.projectId, dryRun: false });
  await assert.rejects(create(), refusedAs('forbidden', /10 sandboxes in a day.*after 20/));
  await running.store.models.users.updateOne({ _id: ownerId }, { $set: { 'sandboxes.0': new Date(0) } });
  await create();
  assert.equal((await running.store.models.users.findById(ownerId).lean())?.sandboxes?.length, 10);
});

test('ended sandboxes are returned once a minute, those of different owners first', async () => {
  const [many, few] = [await newOwner(running), await newOwner(running)];
  const madeOf = async (ownerId: string) => (await newProject(running, sandbox(), ownerId)).project!.projectId;
  const ofMany = [];
  for (let made = 0; made < 5; made++) ofMany.push(await madeOf(many));
  const ofFew = await madeOf(few);
  const living = await madeOf(few);
  await newProject(running, {}, few);
  for (const id of [...ofMany, ofFew]) await end(id);
  const first = await take(2);
  assert.ok(first.includes(ofFew), 'the second owner does not wait for the first one');
  const rest = await take();
  assert.deepEqual([...first, ...rest].sort(), [...ofMany, ofFew].sort());
  assert.ok(!rest.includes(living));
  assert.deepEqual(await take(), [], 'another process has them for a minute');
  await running.store.models.projects.updateOne({ _id: ofFew }, { $set: { sandboxDueAt: new Date(0) } });
  assert.deepEqual(await take(), [ofFew], 'a process that died did not erase it');
  await assert.rejects(take(0), refusedAs('invalid'));
});

test('only an ended sandbox is erased, and a repeated call succeeds', async () => {
  const made = await newProject(running, sandbox());
  const other = await newProject(running);
  const { projectId } = made.project!;
  const erase = (id: string) => running.projects.eraseSandbox({ projectId: id });
  for (const project of [made, other]) await assert.rejects(erase(project.project!.projectId), refusedAs('gone'));
  await assert.rejects(erase(randomUUID()), refusedAs('not_found'));
  await end(projectId);
  const tokenHash = hashToken(made.uniqueLinks[0]!.token);
  await until('the sandbox has ended', () =>
    erase(projectId).then(
      () => true,
      () => false,
    ),
  );
  await erase(projectId);
  await assert.rejects(running.projects.resolveRecipient({ tokenHash }), refusedAs('not_found'));
  const resolved = await running.projects.resolveRecipient({ tokenHash: hashToken(other.uniqueLinks[0]!.token) });
  assert.equal(resolved.status, LinkStatus.LINK_STATUS_ACTIVE);
});
