import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, test } from 'node:test';
import { SCOPES } from '@recording-request/contract/resources/fields';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import Fastify from 'fastify';
import { installAccess } from '../src/plugins/access.ts';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

interface Operation {
  method: string;
  path: string;
  tag: string | undefined;
  scope: string | undefined;
}

let harness: TestGateway;
let operations: Operation[];

before(async () => {
  harness = await startTestGateway({}, { RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' });
  const document = (await (await fetch(`${harness.base}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags?: string[]; security?: { ownerToken: string[] }[] }>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    // HEAD is GET without a body, so this test does not check it separately.
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, { tags, security }]) => ({
        method: method.toUpperCase(),
        path: path
          .replace('{projectId}', PROJECT_ID)
          .replace('{submissionId}', SUBMISSION_ID)
          .replace(/\{(tokenId|deliveryId|noteId)\}/, SUBMISSION_ID),
        tag: tags?.[0],
        scope: security?.[0]?.ownerToken[0],
      })),
  );
});
after(() => harness[Symbol.asyncDispose]());

const owned = () => operations.filter(operation => operation.scope !== undefined);
// No route accepts this body: a gateway that checked the body before the token would return 400 or 415.
const call = ({ method, path }: Operation, authorization?: string) =>
  fetch(harness.base + path, {
    method,
    ...(method !== 'GET' && { body: '{', headers: { 'content-type': 'text/plain' } }),
    headers: { ...(method !== 'GET' && { 'content-type': 'text/plain' }), ...(authorization && { authorization }) },
  });

test('the contract has 19 owner routes and 5 dashboard routes; the others are extensions', () => {
  const paths = operations.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(paths).size, paths.length);
  const dashboard = operations.filter(({ path }) => path.startsWith('/project/'));
  assert.equal(dashboard.filter(({ tag }) => tag === 'dashboard').length, 5);
  assert.ok(dashboard.every(({ method, tag }) => method === 'GET' && (tag === 'dashboard' || tag === 'extensions')));
  assert.equal(owned().length, 19 + 31);
});

test('without a valid token every owner route is 401, and the gateway calls no service', async () => {
  const good = harness.bearer.authorization.slice('Bearer '.length);
  const badChecksum = `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`;
  const tokens = [
    undefined,
    'Bearer',
    `Basic ${good}`,
    good,
    `Bearer ${badChecksum}`,
    `Bearer ${mintToken('prj')}`,
    `Bearer ${mintToken('vr')}`,
  ];
  const calls = harness.calls.length;
  const authentications = harness.authentications();
  for (const operation of owned()) {
    for (const token of tokens) {
      const response = await call(operation, token);
      assert.equal(response.status, 401, `${operation.method} ${operation.path} ${token}`);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(Object.keys((await response.json()) as object), ['error']);
    }
  }
  assert.equal(harness.authentications(), authentications);
  assert.equal(harness.calls.length, calls);
});

test('an unknown token is 401 too', async () => {
  for (const operation of owned()) {
    assert.equal((await call(operation, `Bearer ${mintToken('api')}`)).status, 401);
  }
});

test('each owner route accepts only its own scope', async () => {
  for (const operation of owned()) {
    const others = SCOPES.filter(scope => scope !== operation.scope);
    const refused = await call(operation, `Bearer ${harness.tokenWith(others)}`);
    assert.equal(refused.status, 403, `${operation.method} ${operation.path}`);
    assert.match(((await refused.json()) as { error: string }).error, new RegExp(`${operation.scope}`));
    const taken = await call(operation, `bearer ${harness.tokenWith([operation.scope as string])}`);
    assert.ok(![401, 403].includes(taken.status), `${operation.method} ${operation.path}: ${taken.status}`);
  }
});

test('a token is hashed once per request, cached or not', async t => {
  const hashed: unknown[] = [];
  const { update } = crypto.Hash.prototype;
  const hash = crypto.hash as (...given: unknown[]) => Buffer;
  t.mock.method(crypto.Hash.prototype, 'update', function (this: crypto.Hash, ...given: Parameters<typeof update>) {
    hashed.push(given[0]);
    return update.apply(this, given);
  });
  t.mock.method(crypto, 'hash', (...given: unknown[]) => {
    hashed.push(given[1]);
    return hash(...given);
  });
  syncBuiltinESMExports();
  const timesFor = async (token: string, path: string, headers: Record<string, string> = {}) => {
    hashed.length = 0;
    await fetch(harness.base + path, { headers });
    return hashed.filter(data => data === token).length;
  };
  try {
    const owner = harness.tokenWith(['projects:read']);
    for (const token of [owner, owner, mintToken('api')])
      assert.equal(await timesFor(token, '/api/projects', { authorization: `Bearer ${token}` }), 1);
    const dashboard = mintToken('prj');
    assert.equal(await timesFor(dashboard, `/project/${dashboard}/shared-link/qr.png`), 1);
    const link = mintToken('vr');
    assert.equal(await timesFor(link, `/r/${link}/qr.png`), 1);
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
});

test('a dashboard path with a malformed token is 404 without a look-up', async () => {
  const calls = harness.calls.length;
  for (const { path } of operations.filter(operation => operation.path.startsWith('/project/'))) {
    for (const token of ['x', mintToken('api'), `${mintToken('prj')}x`]) {
      assert.equal((await fetch(harness.base + path.replace('{projectToken}', token))).status, 404);
    }
  }
  assert.equal(harness.calls.length, calls);
});

test('a cached token is looked up once, also for many concurrent requests', async () => {
  const token = harness.tokenWith(['projects:read']);
  const before = harness.authentications();
  const headers = { authorization: `Bearer ${token}` };
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${harness.base}/api/projects`, { headers })));
  assert.equal(harness.authentications(), before + 1);
});

test('a revoked token is refused when its cache entry has expired', async () => {
  await using short = await startTestGateway({}, { TOKEN_CACHE_MS: '0' });
  const token = short.tokenWith(['projects:read']);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${short.base}/api/projects`, { headers })).status, 404);
  short.revoke(token);
  assert.equal((await fetch(`${short.base}/api/projects`, { headers })).status, 401);
});

test('the gateway does not start with a route without declared access', () => {
  const app = Fastify();
  installAccess(app, { config: { tokenCacheMs: 1, tokenCacheEntries: 1 } } as never, {} as never);
  assert.throws(() => app.get('/open-by-mistake', async () => 'x'), /does not declare who may call it/);
});

test('an address that guesses tokens costs a bounded number of look-ups, and its known tokens still work', async () => {
  await using limited = await startTestGateway({}, { RATE_LIMIT_ADDRESS_PER_MINUTE: '5', TOKEN_CACHE_MS: '0' });
  const me = async (token: string) =>
    (await fetch(`${limited.base}/api/projects`, { headers: { authorization: `Bearer ${token}` } })).status;
  const known = limited.tokenWith(['projects:read']);
  assert.equal(await me(known), 404);
  const before = limited.authentications();
  const statuses = [];
  for (let i = 0; i < 40; i++) statuses.push(await me(mintToken('api')));
  assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(35).fill(429)]);
  assert.equal(limited.authentications() - before, 6, 'look-ups for forty guesses');
  assert.equal(await me(known), 404, 'a token that opened something before is still looked up');
  limited.revoke(known);
  assert.equal(await me(known), 429);
});

test('an address that guesses dashboard tokens costs a bounded number of look-ups, and its known dashboards still work', async () => {
  const known = mintToken('prj');
  const hash = hashToken(known).toString('hex');
  let lookUps = 0;
  await using limited = await startTestGateway(
    {
      projects: {
        async resolveDashboardToken({ tokenHash }) {
          lookUps++;
          if (Buffer.from(tokenHash).toString('hex') !== hash) throw new DomainError('not_found', 'No such project.');
          return { ownerId: OWNER_ID, projectId: PROJECT_ID };
        },
        getProject: async () => ({ projectName: 'Stories', project: asProject() }),
      },
      submissions: { listSubmissions: async () => ({ submissions: [], nextCursor: '' }) },
    },
    { RATE_LIMIT_ADDRESS_PER_MINUTE: '5', RATE_LIMIT_TOKEN_PER_MINUTE: '20', TOKEN_CACHE_MS: '0' },
  );
  const look = (token: string) => fetch(`${limited.base}/project/${token}/submissions`);
  assert.equal((await look(known)).status, 200);
  lookUps = 0;
  const statuses = [];
  for (let i = 0; i < 40; i++) statuses.push((await look(mintToken('prj'))).status);
  assert.deepEqual(statuses, [...Array(5).fill(404), ...Array(35).fill(429)]);
  assert.equal(lookUps, 6, 'look-ups for forty guesses');
  const guess = await look(mintToken('prj'));
  assert.ok(Number(guess.headers.get('retry-after')) > 0);
  assert.match(guess.headers.get('ratelimit') ?? '', /^"address";r=0;t=\d+$/, 'a guess has no separate count');
  const guessed = await fetch(`${limited.base}/api/projects`, {
    headers: { authorization: `Bearer ${mintToken('api')}` },
  });
  assert.equal(guessed.status, 429, 'guesses of either kind count together');
  assert.equal((await look(known)).status, 200, 'a dashboard that was open before');
});

test('too many requests are 429, for a token and for an address, before the token is checked', async () => {
  await using limited = await startTestGateway(
    {},
    { RATE_LIMIT_TOKEN_PER_MINUTE: '3', RATE_LIMIT_ADDRESS_PER_MINUTE: '5', RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: '2' },
  );
  const me = (headers: Record<string, string>) => fetch(`${limited.base}/api/projects`, { headers });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await me(limited.bearer)).status);
  assert.deepEqual(statuses, [404, 404, 404, 429]);
  const refused = await me(limited.bearer);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"token";q=3;w=60$/);
  assert.match(refused.headers.get('ratelimit') ?? '', /^"token";r=0;t=\d+$/);
  const other = { authorization: `Bearer ${limited.tokenWith(['projects:read'])}` };
  assert.equal((await me(other)).status, 404);

  // Requests that a contributor's page sends by itself have a separate count, so that they do not use up the count of
  // pages and responses.
  const path = `${limited.base}/r/${mintToken('vr')}`;
  const response = `${path}/responses/${OWNER_ID}`;
  const note = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"note":"hi"}' };
  const opened = () => fetch(`${path}/opened`, { method: 'POST' });
  assert.deepEqual([(await opened()).status, (await fetch(response, note)).status], [404, 404]);
  for (const answer of [await opened(), await fetch(response, note)]) {
    assert.equal(answer.status, 429);
    assert.deepEqual(Object.keys((await answer.json()) as object), ['error']);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"contributor";q=2;w=60$/);
  }
  assert.equal((await fetch(response)).status, 429, 'reads of a response count with them');
  assert.equal((await fetch(`${path}/uploads/u1`, { method: 'HEAD' })).status, 404, 'uploads are not');

  const anonymous = [];
  for (let i = 0; i < 6; i++) anonymous.push((await me({})).status);
  assert.deepEqual(anonymous, [401, 401, 401, 401, 401, 429]);
  // Each invented token has a separate count, so these requests must also count under their address.
  assert.equal((await me({ authorization: `Bearer ${mintToken('api')}` })).status, 429);
  assert.equal((await fetch(`${limited.base}/healthz`)).status, 200);
});
