import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { newOwner, newProject, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(async () => await running[Symbol.asyncDispose]());

const authenticate = (secret: string) => running.accounts.authenticate({ tokenHash: hashToken(secret) });
const resolve = (token: string) => running.projects.resolveRecipient({ tokenHash: hashToken(token) });
const dashboard = (token: string) => running.projects.resolveDashboardToken({ tokenHash: hashToken(token) });
const entryOf = (secret: string) => running.store.models.hashes.findOne({ _id: hashToken(secret) }).lean();

async function newToken() {
  const userId = await newOwner(running);
  const { token, secret } = await running.operator.createApiToken({ userId, label: '', scopes: ['links:read'] });
  return { userId, apiTokenId: token!.apiTokenId, secret };
}

test('an entry opens nothing by itself: the record decides', async () => {
  const { secret, apiTokenId } = await newToken();
  await running.store.models.tokens.updateOne({ _id: apiTokenId }, { $set: { hash: hashToken(mintToken('api')) } });
  assert.ok(await entryOf(secret));
  await assert.rejects(authenticate(secret), { code: 'not_found' });

  const made = await newProject(running);
  const link = made.uniqueLinks[0]!;
  // A dashboard's token does not open a link, and a link's token does not open a dashboard.
  await assert.rejects(resolve(made.projectToken), { code: 'not_found' });
  await assert.rejects(dashboard(link.token), { code: 'not_found' });
});

test('an entry is removed with its record', async () => {
  const { userId, secret, apiTokenId } = await newToken();
  const { secret: second } = await running.operator.rotateApiToken({ apiTokenId, overlapSeconds: 600 });
  assert.ok(await entryOf(secret), 'the overlap lasts');
  const { secret: third } = await running.operator.rotateApiToken({ apiTokenId, overlapSeconds: 0 });
  for (const each of [secret, second]) assert.equal(await entryOf(each), null);
  assert.ok(await entryOf(third));

  const made = await newProject(running, {}, userId);
  const { ownerId, projectId } = made.project!;
  const { projectToken } = await running.projects.rotateDashboardToken({ ownerId, projectId });
  assert.equal(await entryOf(made.projectToken), null);
  assert.ok(await entryOf(projectToken));

  await running.operator.eraseProject({ projectId, dryRun: false });
  await running.operator.eraseUser({ userId, dryRun: false });
  for (const each of [projectToken, made.uniqueLinks[0]!.token, third]) assert.equal(await entryOf(each), null);
});

test('no two records have the same secret', async () => {
  const { secret, apiTokenId } = await newToken();
  const again = running.store.hashes.insertMany([{ hash: hashToken(secret), kind: 'link', id: apiTokenId }]);
  await assert.rejects(again, { code: 11_000 });
});
