import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { noteHashes } from '../src/store/hash-migration.ts';
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
const forget = (...secrets: string[]) => running.store.hashes.remove(secrets.map(hashToken));

async function newToken() {
  const userId = await newOwner(running);
  const { token, secret } = await running.operator.createApiToken({ userId, label: '', scopes: ['links:read'] });
  return { userId, apiTokenId: token!.apiTokenId, secret };
}

test('what a service of an earlier version made is found, and noted', async () => {
  const made = await newProject(running);
  const { token: link, linkId } = made.uniqueLinks[0]!;
  const { secret, apiTokenId } = await newToken();
  await forget(link, made.projectToken, secret);
  assert.equal((await resolve(link)).linkId, linkId);
  assert.equal((await dashboard(made.projectToken)).projectId, made.project!.projectId);
  assert.equal((await authenticate(secret)).token?.apiTokenId, apiTokenId);
  for (const each of [link, made.projectToken, secret]) assert.ok(await entryOf(each));
});

test('a migration notes what is there, and may run again', async () => {
  const made = await newProject(running, { count: 3 });
  const links = made.uniqueLinks.map(({ token }) => token);
  const { secret, apiTokenId } = await newToken();
  const { secret: next } = await running.operator.rotateApiToken({ apiTokenId, overlapSeconds: 600 });
  const secrets = [...links, made.projectToken, secret, next];
  await forget(...secrets);
  const { db } = running.store.models.hashes;
  for (let times = 0; times < 2; times++) await noteHashes(db, () => {});
  for (const each of secrets) assert.ok(await entryOf(each), 'it is noted');
  assert.deepEqual((await entryOf(links[1]!))?.id, made.uniqueLinks[1]!.linkId);
  for (const each of [secret, next]) assert.equal((await authenticate(each)).token?.apiTokenId, apiTokenId);
});

test('an entry opens nothing by itself: the record decides', async () => {
  const { secret, apiTokenId } = await newToken();
  // As a service of an earlier version replaces it, which knows of no entries.
  const replaced = mintToken('api');
  await running.store.models.tokens.updateOne({ _id: apiTokenId }, { $set: { hash: hashToken(replaced) } });
  assert.ok(await entryOf(secret));
  await assert.rejects(authenticate(secret), { code: 'not_found' });
  assert.equal((await authenticate(replaced)).token?.apiTokenId, apiTokenId);

  const made = await newProject(running);
  const link = made.uniqueLinks[0]!;
  // A dashboard's hash is no link's.
  await assert.rejects(resolve(made.projectToken), { code: 'not_found' });
  await assert.rejects(dashboard(link.token), { code: 'not_found' });
});

test('an entry goes with what it leads to', async () => {
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

test('no two records have one secret', async () => {
  const { secret, apiTokenId } = await newToken();
  const again = running.store.hashes.insertMany([{ hash: hashToken(secret), kind: 'link', id: apiTokenId }]);
  await assert.rejects(again, { code: 11_000 });
});
