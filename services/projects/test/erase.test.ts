import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { confirmErasure } from '../src/workflows/confirm-erasure.ts';
import { sweepErasures } from '../src/workflows/sweep.ts';
import {
  begin,
  counters,
  creation,
  land,
  newOwner,
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
after(() => running?.[Symbol.asyncDispose]());

const erase = (projectId: string, dryRun = false) => running.operator.eraseProject({ projectId, dryRun });
const eraseUser = (userId: string, dryRun = false) => running.operator.eraseUser({ userId, dryRun });
const reserved = async (userId: string) => (await running.accounts.getUser({ userId })).user!.videosReserved;

/** Returns the names of the collections that contain a text. */
async function collectionsWith(text: string): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, model] of Object.entries(running.store.models)) {
    for await (const document of model.collection.find()) if (JSON.stringify(document).includes(text)) found.add(name);
  }
  return [...found];
}

const everything = (marker: string) => ({
  projectName: marker,
  termsText: marker,
  interviewQuestions: [marker, 'second'],
  sharedLinkEnabled: true,
  sharedLinkMaxUses: 10,
});

test('a count after an erasure finds records that were stored late', async () => {
  const { links, idempotency } = running.store.models;
  const ownerId = await newOwner(running, 100);
  const { project, uniqueLinks } = await newProject(running, { count: 2 }, ownerId);
  const { projectId } = project!;
  const late = await links.findById(uniqueLinks[0]!.linkId).lean();
  const owned = { ownerId, projectId };
  assert.equal((await running.projects.eraseOwnedProject({ ...owned, dryRun: false })).counts!.links, 2);
  await links.collection.insertOne({ ...late, sealedInvitation: 'k1.sealed' } as never);
  await idempotency.collection.insertOne({ _id: uuidv7(), userId: ownerId, key: uuidv7(), projectId } as never);
  const { counts } = await running.projects.eraseOwnedProject({ ...owned, dryRun: true });
  assert.deepEqual([counts!.links, counts!.people, counts!.rememberedAnswers], [1, 1, 1]);
  assert.equal((await erase(projectId, true)).links, 1, 'the operator sees it too');
  await erase(projectId);
  assert.equal((await erase(projectId, true)).links, 0);
});

test('an erased project leaves no text, and returns its unused videos to the allowance', async () => {
  const ownerId = await newOwner(running, 100);
  const settings = everything('a project that goes');
  const request = creation(ownerId, { count: 3, idempotencyKey: 'k', settings });
  const made = await running.projects.createProject(request);
  const neighbour = await newProject(running, { count: 2, settings: { projectName: 'stays' } }, ownerId);
  const projectId = made.project!.projectId;
  const [first, second] = made.uniqueLinks;
  const { responseSessionId } = await begin(running, first!.linkId);
  await land(running, first!.linkId, responseSessionId);
  await begin(running, second!.linkId);
  await begin(running, made.sharedLink!.linkId);
  await counters(running, first!.linkId);
  assert.equal(await reserved(ownerId), 15);

  const would = await erase(projectId, true);
  const tally = {
    links: 4,
    people: 0,
    responses: 3,
    rememberedAnswers: 1,
    videosReleased: 12,
    erasedBeforeAt: undefined,
  };
  assert.deepEqual(would, tally);
  assert.equal(await reserved(ownerId), 15, 'a dry run changes nothing');
  assert.deepEqual(await erase(projectId), tally);
  assert.equal(await reserved(ownerId), 3, 'the use that landed stays counted, and the other project');
  assert.deepEqual(await collectionsWith('a project that goes'), []);
  assert.deepEqual(await collectionsWith(first!.linkId), []);

  const tokenHash = hashToken(made.projectToken);
  await assert.rejects(running.projects.resolveDashboardToken({ tokenHash }), refusedAs('not_found'));
  const linkHash = hashToken(first!.token);
  await assert.rejects(running.projects.resolveRecipient({ tokenHash: linkHash }), refusedAs('not_found'));
  await assert.rejects(begin(running, first!.linkId), refusedAs('not_found'));
  await assert.rejects(running.projects.getWebhookTarget({ projectId }), refusedAs('not_found'));
  assert.equal(
    (await running.projects.listLinks({ ownerId, projectId: neighbour.project!.projectId })).uniqueLinks.length,
    2,
  );

  const again = await erase(projectId);
  assert.ok(again.erasedBeforeAt);
  assert.deepEqual([again.links, again.responses, again.videosReleased], [0, 0, 0], 'nothing is returned twice');
  assert.equal(await reserved(ownerId), 3);
  await assert.rejects(erase(uuidv7()), refusedAs('not_found', /no such project/));
});

test('a claim that was running during the erasure of its project undoes itself', async () => {
  const made = await newProject(running, {
    settings: { ...everything('a project of claims'), interviewQuestions: [] },
  });
  const linkId = made.sharedLink!.linkId;
  const { store } = running;
  const known = (await store.responses.find(`${linkId}:${(await begin(running, linkId)).responseSessionId}`))!;
  await counters(running, linkId);
  await erase(made.project!.projectId);
  // A request that read the link and the project before the erasure inserts this response.
  const sessionId = session();
  const late = {
    ...known,
    _id: `${linkId}:${sessionId}`,
    sessionId,
    use: 'claiming' as const,
    transfer: store.transfers.make('begin', new Date()),
  };
  assert.ok(await store.responses.insert(late));
  assert.equal(await store.transfers.execute(late), 'refused');
  assert.deepEqual(await collectionsWith('a project of claims'), []);

  // A process that died before it undid its claim leaves this response; the sweeper finds it by the tombstone.
  assert.ok(await store.responses.insert({ ...late, transfer: undefined as never }));
  await store.models.links.collection.insertOne({ ...(await linkLike(linkId, made.project!.projectId)) } as never);
  await store.models.erasures.updateOne({ _id: made.project!.projectId }, { $set: { againAt: new Date() } });
  await sweepErasures(running, new Date());
  assert.deepEqual(await collectionsWith('a project of claims'), []);
  assert.deepEqual(await collectionsWith(linkId), []);
});

async function linkLike(linkId: string, projectId: string) {
  return { _id: linkId, projectId, position: 0, hash: Buffer.from(linkId), disabled: false, type: 'shared' };
}

test('a project erased during an increase of its uses returns all of them', async () => {
  const ownerId = await newOwner(running, 50);
  const made = await newProject(running, { settings: everything('raised') }, ownerId);
  const projectId = made.project!.projectId;
  // The state after a crash between the first and the second of the three steps: ten more uses are reserved, and the
  // link does not have them.
  await running.store.users.reserve(ownerId, 10, undefined as never);
  await running.store.models.projects.updateOne(
    { _id: projectId },
    { $set: { usesChange: { from: 10, to: 20, version: 1 } } },
  );
  assert.equal(await reserved(ownerId), 21);
  assert.equal((await erase(projectId)).videosReleased, 21);
  assert.equal(await reserved(ownerId), 0);
  await running.store.sharedUses.sweep();
  assert.equal(await reserved(ownerId), 0);
});

test('the erasure of a user removes the tokens first, and the user after the last project', async () => {
  const userId = await newOwner(running);
  const token = await running.operator.createApiToken({ userId, label: 'l', scopes: ['projects:write'] });
  const made = await newProject(running, { idempotencyKey: 'u' }, userId);
  const projectId = made.project!.projectId;

  const would = await eraseUser(userId, true);
  assert.deepEqual([would.tokensRevoked, would.projectIds, would.done], [1, [projectId], false]);
  const first = await eraseUser(userId);
  assert.deepEqual([first.tokensRevoked, first.projectIds, first.done], [1, [projectId], false]);
  const tokenHash = hashToken(token.secret);
  await assert.rejects(running.accounts.authenticate({ tokenHash }), refusedAs('not_found'));
  await assert.rejects(newProject(running, {}, userId), refusedAs('not_found'), 'no new project during the erasure');
  const label = { userId, label: '', scopes: ['projects:read'] };
  await assert.rejects(running.operator.createApiToken(label), refusedAs('not_found'));
  await running.projects.updateProject(patch(made.project, { projectName: 'still there' }));

  await erase(projectId);
  assert.equal((await eraseUser(userId)).done, true);
  await assert.rejects(running.accounts.getUser({ userId }), refusedAs('not_found'));
  assert.deepEqual(await collectionsWith(userId), ['erasures'], 'only the tombstone remains');
  const again = await eraseUser(userId);
  assert.ok(again.done && again.erasedBeforeAt);
  await assert.rejects(eraseUser(uuidv7()), refusedAs('not_found', /no such user/));
});

test('a value confirms one erasure of its owner, for ten minutes', async () => {
  const { project } = await newProject(running, { count: 1 });
  const { projectId, ownerId } = project!;
  const target = { ownerId, projectId, submissionId: '' };
  const { confirm, confirmExpiresAt, counts } = await running.projects.proposeErasure(target);
  assert.deepEqual([counts!.links, counts!.people, counts!.videosReleased], [1, 0, 1]);
  await running.projects.confirmErasure({ ...target, confirm });
  await running.projects.confirmErasure({ ...target, confirm });
  const refused = { code: 'conflict', reason: 'erasure_unconfirmed' };
  await assert.rejects(running.projects.confirmErasure({ ...target, submissionId: 'another', confirm }), refused);
  const other = await newProject(running, { count: 1 });
  const theirs = { ...target, projectId: other.project!.projectId };
  await assert.rejects(running.projects.confirmErasure({ ...theirs, confirm }), { code: 'not_found' });
  await assert.rejects(
    running.projects.confirmErasure({ ...theirs, ownerId: other.project!.ownerId, confirm }),
    refused,
  );
  const at = (ms: number) => ({ now: () => new Date(confirmExpiresAt!.getTime() + ms) });
  const secrets = createSecretBox(running.secretsKey);
  const context = { store: running.store, secrets };
  await confirmErasure({ ...context, clock: at(-1) }, target, confirm);
  await assert.rejects(confirmErasure({ ...context, clock: at(0) }, target, confirm), { message: /has expired/ });
  await assert.rejects(
    running.projects.eraseOwnedProject({ ownerId: other.project!.ownerId, projectId, dryRun: false }),
    {
      code: 'not_found',
    },
  );
  assert.equal((await running.projects.eraseOwnedProject({ ownerId, projectId, dryRun: false })).counts!.links, 1);
  assert.equal((await running.projects.eraseOwnedProject({ ownerId, projectId, dryRun: false })).counts!.links, 0);
  await assert.rejects(running.projects.proposeErasure(target), { code: 'not_found' });
});
