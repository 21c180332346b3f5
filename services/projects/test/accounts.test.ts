import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hashToken, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { newOwner, refusedAs, startTestProjects, type TestProjects } from './test-service.ts';

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

test('an expired and an unknown token are refused alike', async () => {
  const userId = await newOwner(running);
  const expiresAt = new Date(Date.now() + 60_000);
  const made = await running.operator.createApiToken({ userId, label: '', scopes: ['profile:read'], expiresAt });
  await authenticate(made.secret);
  await running.store.models.tokens.updateOne({ _id: made.token!.apiTokenId }, { expiresAt: new Date() });
  await assert.rejects(authenticate(made.secret), refusedAs('not_found', /no such token/));
  const unknown = running.accounts.authenticate({ tokenHash: randomBytes(32) });
  await assert.rejects(unknown, refusedAs('not_found', /no such token/));
});

test('a token needs known scopes, a user and a time to come', async () => {
  const userId = await newOwner(running);
  const create = (given: object) =>
    running.operator.createApiToken({ userId, label: 'x', scopes: ['profile:read'], ...given });
  await assert.rejects(create({ scopes: ['profile:read', 'all'] }), refusedAs('invalid', /all/));
  await assert.rejects(create({ scopes: [] }), refusedAs('invalid', /scope/));
  await assert.rejects(create({ expiresAt: new Date(Date.now() - 60_000) }), refusedAs('invalid', /expires_at/));
  await assert.rejects(create({ userId: 'nobody' }), refusedAs('not_found'));
});

test('users are listed page by page, and their limit is set and taken away', async () => {
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
