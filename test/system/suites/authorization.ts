import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { mintToken } from '@recording-request/contract/tokens';
import { type Answer, ok, type Request, refused } from '@recording-request/harness/http-client';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import type { SeedData } from '../harness/seed.ts';
import { type Ids, idsOf, ROWS, type Row } from './authorization-rows.ts';
import { type Keys, toolAuthorization } from './authorization-tools.ts';

interface Operation {
  id: string;
  method: string;
  path: string;
  security: Record<string, string[]>[];
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete', 'options', 'head', 'trace'];
/** The number of tested calls. */
let cells = 0;

/** Creates the tokens and ids of the matrix. */
export async function prepareAuthorization(seed: SeedData): Promise<Context> {
  const [operations, keys, ids, rotated] = await Promise.all([
    servedOperations(seed),
    makeKeys(seed),
    idsOf(seed),
    rotatedToken(seed),
  ]);
  return { seed, operations, keys, ids, rotated };
}

/** Tests every operation of the served openapi.json with every kind of caller. */
export function authorization(context: Context): void {
  const { operations } = context;
  describe('authorization', () => {
    test('every served operation has a row, and every row is served', () => {
      assert.deepEqual(operations.map(({ id }) => id).sort(), Object.keys(ROWS).sort());
    });
    for (const operation of operations) {
      const row = ROWS[operation.id];
      if (!row) continue;
      test(`${operation.method} ${operation.path} requires ${row.access}`, async () => {
        if (row.access === 'public') await judgePublic(context, operation);
        else if (row.access === 'dashboard') await judgeDashboard(context, operation, row);
        else if (row.access === 'recipient') await judgeRecipient(context, operation, row);
        else await judgeOwner(context, operation, row, row.access);
      });
    }
    toolAuthorization({ ...context, count: () => cells++ });
    test('the matrix is complete', t => {
      t.diagnostic(`${operations.length} operations, ${cells} cells`);
      assert.ok(cells > 300, `${cells} cells`);
    });
  });
}

export interface Context {
  seed: SeedData;
  operations: Operation[];
  keys: Keys;
  ids: { ada: Ids; bob: Ids };
  /** A dashboard token that was rotated out. */
  rotated: string;
}

async function judgeOwner({ seed, keys, ids }: Context, operation: Operation, row: Row, scope: string): Promise<void> {
  const { method, path } = operation;
  assert.deepEqual(operation.security, [{ ownerToken: [scope] }], 'openapi.json has another scope');
  const { ada, bob } = ids;
  const own = row.spare ? { ...ada, projectId: seed.bare.projectId } : ada;
  const call = (token: string | undefined, places: Ids): Promise<Answer> => {
    cells++;
    const request: Request = { method, token, ...(row.json !== undefined && { json: row.json }) };
    return seed.ask(fill(path, places, row), request);
  };
  for (const [name, token] of Object.entries(keys.invalid)) {
    const answer = await call(token, own);
    assert.match(refused(answer, 401), /token/, name);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer', name);
  }
  for (const other of SCOPES.filter(each => each !== scope)) {
    assert.match(
      refused(await call(keys.alone[other], own), 403, 'scope_missing'),
      new RegExp(scope),
      `${other} alone`,
    );
  }
  if (path.includes('{projectId}')) {
    const missing = { ...own, projectId: '01900000-0000-7000-8000-000000000000' };
    const sentence = refused(await call(keys.everyScope, missing), 404);
    assert.equal(
      refused(await call(keys.bob, own), 404),
      sentence,
      'another owner’s item looks exactly like a missing one',
    );
    // As Bob, requests Bob's project with Ada's item. As Ada, requests Ada's project with Bob's item.
    refused(
      await call(keys.bob, { ...own, projectId: bob.projectId, ...(row.id ? {} : { projectId: own.projectId }) }),
      404,
    );
    if (row.id) refused(await call(keys.everyScope, { ...own, [row.id]: bob[row.id] }), 404);
    refused(await call(keys.everyScope, { ...own, projectId: bob.projectId }), 404);
  } else if (method === 'GET') {
    assert.doesNotMatch((await call(keys.bob, own)).text(), new RegExp(`${ada.projectId}|${seed.ada.userId}`));
  }
  const allowed = await call(keys.alone[scope], own);
  assert.equal(allowed.status, row.allowed ?? 200, `${allowed.what}: ${allowed.text().slice(0, 300)}`);
}

async function judgeDashboard({ seed, keys, ids, rotated }: Context, operation: Operation, row: Row): Promise<void> {
  const { method, path } = operation;
  assert.deepEqual(operation.security, []);
  const at = (projectToken: string, places: Ids) => fill(path, places, row).replace('{projectToken}', projectToken);
  const call = (projectToken: string, token?: string, places = ids.ada) => {
    cells++;
    return seed.ask(at(projectToken, places), { method, token });
  };
  const good = seed.full.projectToken;
  const unknown = {
    malformed: 'prj_x',
    'bad checksum': typo(good),
    'never minted': mintToken('prj'),
    'replaced since': rotated,
    api_: keys.everyScope,
    vr_: seed.full.sharedLink!.token,
    'a project id': seed.full.projectId,
  };
  for (const [name, token] of Object.entries(unknown)) {
    assert.match(refused(await call(token), 404), /dashboard/, name);
    refused(await call(token, keys.everyScope), 404);
  }
  for (const header of [undefined, 'nonsense', keys.bob]) {
    const answer = await call(good, header);
    assert.equal(answer.status, 200, 'only the path counts');
    assert.doesNotMatch(answer.text(), new RegExp(seed.bobs.projectId));
  }
  if (row.id) refused(await call(good, undefined, ids.bob), 404);
  for (const write of ['POST', 'PATCH', 'PUT', 'DELETE']) {
    cells++;
    refused(await seed.ask(at(good, ids.ada), { method: write }), 405);
  }
}

const TUS = {
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
};

/**
 * Checks that an unknown link token returns 404 for any body, and that a valid token gives no access to another link.
 */
async function judgeRecipient({ seed, keys }: Context, operation: Operation, row: Row): Promise<void> {
  const { method, path, security } = operation;
  assert.deepEqual(security, []);
  const good = seed.full.recipientUrls[2]!.token;
  const call = async (token: string) => {
    cells++;
    const at = path.replace('{token}', token).replace(/\{\w+\}/, seed.clip.submissionId);
    const answer = await seed.ask(at, { method, json: row.json, ...(row.json === undefined && { headers: TUS }) });
    if (method === 'HEAD') assert.equal(answer.status, 404, answer.what);
    else refused(answer, 404);
  };
  const unknown = [typo(good), mintToken('vr'), 'vr_x', keys.everyScope, seed.full.projectToken];
  for (const token of unknown) await call(token);
  if (/\{token\}.*\{/.test(path)) await call(good);
}

async function judgePublic({ seed, keys }: Context, { method, path, security }: Operation): Promise<void> {
  assert.deepEqual(security, []);
  for (const token of [...Object.values(keys.invalid), keys.bob]) {
    cells++;
    assert.equal((await seed.ask(path, { method, token })).status, 200);
  }
}

// The removal of an unknown note changes nothing.
const NO_NOTE = '01900000-0000-7000-8000-000000000000';

function fill(path: string, ids: Ids, row: Row): string {
  const last = row.id ? ids[row.id] : '';
  return path
    .replace('{projectId}', ids.projectId)
    .replace(/\{(?:submissionId|tokenId|deliveryId)\}/, last)
    .replace('{noteId}', NO_NOTE);
}

/** Returns true for a HEAD operation with the same security as its GET. The request for the GET tests both. */
function isAsGet({ get, head }: Record<string, { security?: [] }>): boolean {
  if (get) assert.deepEqual(head?.security, get.security);
  return get !== undefined;
}

async function servedOperations({ ask }: SeedData): Promise<Operation[]> {
  const { paths } = ok(await ask('/api/openapi.json'));
  return Object.entries(paths as Record<string, Record<string, { operationId: string; security?: [] }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => METHODS.includes(method) && !(method === 'head' && isAsGet(methods)))
        .map(([method, { operationId, security = [] }]) => ({
          id: operationId,
          method: method.toUpperCase(),
          path,
          security,
        })),
  );
}

/** Changes one letter of the token, so that the checksum is wrong. */
const typo = (token: string) => `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`;

async function makeKeys({ system, ada, bob, full }: SeedData): Promise<Keys> {
  const { accounts } = system;
  const alone: Record<string, string> = {};
  for (const scope of SCOPES) alone[scope] = (await accounts.createToken(ada.userId, { scopes: [scope] })).secret;
  const revoked = await accounts.createToken(ada.userId);
  await accounts.revoke(revoked.tokenId);
  const expired = await accounts.createToken(ada.userId, { expiresAt: new Date(Date.now() + 5_000) });
  await until(
    'a token to expire',
    async () => (await ada.ask('/api/me', { token: expired.secret })).status === 401,
    SYSTEM_WAIT,
  );
  const invalid = {
    'no token': undefined,
    malformed: 'nonsense',
    'bad checksum': typo(ada.token),
    'never minted': mintToken('api'),
    revoked: revoked.secret,
    expired: expired.secret,
    prj_: full.projectToken,
    vr_: full.sharedLink!.token,
  };
  return { invalid, alone, everyScope: ada.token, bob: bob.token };
}

async function rotatedToken({ ada, ask }: SeedData): Promise<string> {
  const { projectId, projectToken } = await ada.createProject({ projectName: 'Rotated', count: 1 });
  ok(await ada.ask(`/api/projects/${projectId}/dashboard-token`, { method: 'POST' }));
  const path = `/project/${projectToken}/export.json`;
  await until('the old dashboard token to be refused', async () => (await ask(path)).status === 404, {
    limitMs: 10_000,
    everyMs: 150,
  });
  return projectToken;
}
