import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { until } from '@recording-request/testing/wait';
import { newOwner, newProject, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

let running: TestProjects;
before(async () => {
  running = await startTestProjects();
});
after(() => running[Symbol.asyncDispose]());

const authenticate = (secret: string) => running.accounts.authenticate({ tokenHash: hashToken(secret) });

test('a token authenticates until it is revoked', async () => {
  const userId = await newOwner(running, 10);
  const scopes = ['projects:read', 'links:read'];
  const { secret, token } = await running.operator.createApiToken({ userId, label: 'laptop', scopes });
  assert.ok(tokenIsWellFormed('api', secret));
  const found = await authenticate(secret);
  assert.equal(found.user?.userId, userId);
  assert.equal(found.user?.videoLimit, 10);
  assert.deepEqual(found.token, token);
  assert.equal(JSON.stringify(await running.store.models.tokens.find().lean()).includes(secret), false);

  const revoked = await running.operator.revokeApiToken({ apiTokenId: token!.apiTokenId });
  assert.ok(revoked.token?.revokedAt);
  assert.deepEqual(await running.operator.revokeApiToken({ apiTokenId: token!.apiTokenId }), revoked);
  await assert.rejects(authenticate(secret), refusedAs('not_found'));
  assert.equal((await running.operator.listApiTokens({ userId })).tokens.length, 1);
});

test('an expired and an unknown token get the same error', async () => {
  const userId = await newOwner(running);
  const expiresAt = new Date(Date.now() + 60_000);
  const made = await running.operator.createApiToken({ userId, label: '', scopes: ['profile:read'], expiresAt });
  await authenticate(made.secret);
  await running.store.models.tokens.updateOne(
    { _id: made.token!.apiTokenId },
    // The service compares with the database's clock.
    { expiresAt: new Date(Date.now() - 60_000) },
  );
  await assert.rejects(authenticate(made.secret), refusedAs('not_found', /no such token/));
  const unknown = running.accounts.authenticate({ tokenHash: randomBytes(32) });
  await assert.rejects(unknown, refusedAs('not_found', /no such token/));
});

test('a rotated token has a new secret; the former one ends with its overlap, or at once without one', async () => {
  const userId = await newOwner(running);
  const made = await running.operator.createApiToken({ userId, label: 'ci', scopes: ['links:read'] });
  const { apiTokenId } = made.token!;
  const rotated = await running.operator.rotateApiToken({ apiTokenId, overlapSeconds: 3_600 });
  assert.notEqual(rotated.secret, made.secret);
  assert.deepEqual(rotated.token!.scopes, ['links:read']);
  assert.equal((await authenticate(rotated.secret)).token?.apiTokenId, apiTokenId);
  assert.equal((await authenticate(rotated.secret)).token?.expiresAt, undefined);
  const former = (await authenticate(made.secret)).token!;
  assert.equal(former.apiTokenId, apiTokenId);
  assert.deepEqual(former.expiresAt, rotated.token!.formerUntil, 'the time for which the gateway may cache it');

  const past = new Date(Date.now() - 60_000);
  await running.store.models.tokens.updateOne({ _id: apiTokenId }, { $set: { 'former.until': past } });
  await assert.rejects(authenticate(made.secret), refusedAs('not_found'));
  const again = await running.operator.rotateApiToken({ apiTokenId, overlapSeconds: 0 });
  await assert.rejects(authenticate(rotated.secret), refusedAs('not_found'));
  assert.equal((await authenticate(again.secret)).token?.formerUntil, undefined);
  assert.equal(JSON.stringify(await running.store.models.tokens.find().lean()).includes(again.secret), false);

  const rotate = (overlapSeconds: number) => running.operator.rotateApiToken({ apiTokenId, overlapSeconds });
  await assert.rejects(rotate(604_801), refusedAs('invalid', /at most 168 hours/));
  await running.operator.revokeApiToken({ apiTokenId });
  await assert.rejects(rotate(0), refusedAs('gone', /make a new one/));
  const unknown = running.operator.rotateApiToken({ apiTokenId: 'none', overlapSeconds: 0 });
  await assert.rejects(unknown, refusedAs('not_found'));
});

test('the last use of a token is stored at most once a minute', async () => {
  const userId = await newOwner(running);
  const { secret, token } = await running.operator.createApiToken({ userId, label: '', scopes: ['links:read'] });
  const lastUse = async () => (await running.operator.listApiTokens({ userId })).tokens[0]!.lastUsedAt?.getTime();
  assert.equal(await lastUse(), undefined);
  await Promise.all(Array.from({ length: 5 }, () => authenticate(secret)));
  const first = await until('the use is stored', lastUse);
  assert.ok(Math.abs(first - Date.now()) < 60_000);
  await authenticate(secret);
  const before = new Date(first - 61_000);
  const { models } = running.store;
  const aged = await models.tokens.findByIdAndUpdate(token!.apiTokenId, { $set: { lastUsedAt: before } });
  assert.equal(aged?.lastUsedAt?.getTime(), first, 'a use within the same minute writes nothing');
  await authenticate(secret);
  await until('a later use is stored', async () => (await lastUse())! >= first);
  assert.ok((await running.operator.showUser({ userId })).lastUsedAt!.getTime() >= first);
});

test('a user is shown, renamed, disabled and enabled', async () => {
  const made = await newProject(running);
  const userId = made.project!.ownerId;
  const { secret } = await running.operator.createApiToken({ userId, label: '', scopes: ['links:read'] });
  const renamed = await running.operator.renameUser({ userId, userName: ' Another name ' });
  assert.equal(renamed.user?.userName, 'Another name');
  await assert.rejects(running.operator.renameUser({ userId, userName: ' ' }), refusedAs('invalid', /name of a user/));
  const { user, projects, tokens, liveTokens } = await running.operator.showUser({ userId });
  assert.deepEqual([user?.userName, projects, tokens, liveTokens], ['Another name', 1, 1, 1]);

  const disabled = await running.operator.setUserDisabled({ userId, disabled: true });
  assert.ok(disabled.user?.disabledAt);
  assert.deepEqual(
    await running.operator.setUserDisabled({ userId, disabled: true }),
    disabled,
    'the first time stays',
  );
  await assert.rejects(authenticate(secret), refusedAs('not_found'));
  const dashboard = () => running.projects.resolveDashboardToken({ tokenHash: hashToken(made.projectToken) });
  await assert.rejects(dashboard(), refusedAs('not_found'));

  assert.equal((await running.operator.setUserDisabled({ userId, disabled: false })).user?.disabledAt, undefined);
  assert.equal((await authenticate(secret)).user?.userName, 'Another name');
  assert.equal((await dashboard()).projectId, made.project?.projectId);
  const unknown: (() => Promise<unknown>)[] = [
    () => running.operator.showUser({ userId: 'nobody' }),
    () => running.operator.renameUser({ userId: 'nobody', userName: 'x' }),
    () => running.operator.setUserDisabled({ userId: 'nobody', disabled: true }),
  ];
  for (const call of unknown) await assert.rejects(call, refusedAs('not_found'));
});

test('a token needs known scopes, a user and a future expiry', async () => {
  const userId = await newOwner(running);
  const create = (given: object) =>
    running.operator.createApiToken({ userId, label: 'x', scopes: ['profile:read'], ...given });
  await assert.rejects(create({ scopes: ['profile:read', 'all'] }), refusedAs('invalid', /all/));
  await assert.rejects(create({ scopes: [] }), refusedAs('invalid', /scope/));
  await assert.rejects(create({ expiresAt: new Date(Date.now() - 60_000) }), refusedAs('invalid', /expires_at/));
  await assert.rejects(create({ userId: 'nobody' }), refusedAs('not_found'));
});

test('users are listed page by page, and their limit is set and removed', async () => {
  const ids = [await newOwner(running), await newOwner(running), await newOwner(running)];
  const seen: string[] = [];
  let afterUserId = '';
  for (;;) {
    const { users } = await running.operator.listUsers({ pageSize: 2, afterUserId });
    if (users.length === 0) break;
    seen.push(...users.map(user => user.userId));
    afterUserId = seen.at(-1)!;
  }
  assert.deepEqual(
    seen.filter(id => ids.includes(id)),
    [...ids].sort(),
  );
  assert.equal(new Set(seen).size, seen.length);
  const userId = ids[0]!;
  assert.equal((await running.operator.setAllowance({ userId, videoLimit: 0 })).user?.videoLimit, 0);
  assert.equal((await running.operator.setAllowance({ userId })).user?.videoLimit, undefined);
  await assert.rejects(running.operator.setAllowance({ userId: 'nobody' }), refusedAs('not_found'));
});
