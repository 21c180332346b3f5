import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import Fastify from 'fastify';
import { buildApp } from '../src/app.ts';
import { openContext } from '../src/context.ts';
import { installAccess } from '../src/plugins/access.ts';
import { open } from '../src/plugins/access-kinds.ts';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

const MAX = 4;
const NEVER_429 = [/^\/r\/:token\/uploads(?:\/:uploadId|\/)?$/, /^\/healthz$/, /^\/healthz\/(?:started|client)$/];

interface Route {
  method: string;
  url: string;
}

let harness: TestGateway;
let routes: Route[];

before(async () => {
  const limits = {
    RATE_LIMIT_TOKEN_PER_MINUTE: String(MAX),
    RATE_LIMIT_ADDRESS_PER_MINUTE: String(MAX),
    RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: String(MAX),
    TRUSTED_PROXIES: '1',
  };
  harness = await startTestGateway({}, limits);
  routes = await routeTable();
});
after(() => harness[Symbol.asyncDispose]());

/** Returns all routes of the gateway, as Fastify lists them. */
async function routeTable(): Promise<Route[]> {
  const context = await openContext(harness.config, createLogger('test', 'silent'));
  const app = await buildApp(context);
  const path: string[] = [];
  const found: Route[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part, methods] = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    path.length = indent.length / 4;
    path.push(part);
    const url = path.join('');
    for (const method of methods?.split(', ') ?? []) found.push({ method, url });
  }
  await app.close();
  await context.close();
  return found;
}

let callers = 0;
const newCaller = () => `192.0.2.${++callers % 250}`;

function ask(
  { method, url }: Route,
  from: string,
  tokens: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const path = url
    .replace(/:(?:token|projectToken)/, url.startsWith('/r/') ? tokens.link! : tokens.dashboard!)
    .replaceAll(':projectId', PROJECT_ID)
    .replaceAll(/:\w+/g, SUBMISSION_ID);
  return fetch(harness.base + path, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': from, authorization: `Bearer ${tokens.owner}`, ...headers },
  });
}

const newTokens = () => ({
  owner: harness.tokenWith(['projects:read']),
  dashboard: mintToken('prj'),
  link: mintToken('vr'),
});

test('every route except uploads and probes is 429 when it is called too often', async () => {
  assert.ok(routes.length > 60, `${routes.length} routes`);
  for (const uncounted of NEVER_429)
    assert.ok(
      routes.some(({ url }) => uncounted.test(url)),
      String(uncounted),
    );
  for (const route of routes) {
    const [from, tokens] = [newCaller(), newTokens()];
    const statuses: number[] = [];
    for (let call = 0; call <= MAX; call += 1) statuses.push((await ask(route, from, tokens)).status);
    const isCounted = !NEVER_429.some(uncounted => uncounted.test(route.url));
    assert.equal(statuses.includes(429), isCounted, `${route.method} ${route.url}: ${statuses}`);
    if (isCounted) assert.equal(statuses.indexOf(429), MAX, `${route.method} ${route.url}: ${statuses}`);
  }
});

test('the gateway does not start with a route without a limit', () => {
  const app = Fastify();
  installAccess(app, { config: { tokenCacheMs: 1, tokenCacheEntries: 1 } } as never, {} as never);
  const declare = (url: string, config: object) => () => app.get(url, { config }, async () => 'x');
  assert.throws(declare('/a', { access: { kind: 'public' } }), /does not declare who may call it/);
  assert.throws(declare('/b', open('upload')), /GET \/b must be counted/);
  assert.throws(declare('/r/:token/uploads-of-mine', open('upload')), /must be counted/);
  assert.throws(declare('/healthz/all', open('probe')), /must be counted/);
  declare('/healthz', open('probe'))();
});

const long = 'x'.repeat(300);
const UNKNOWN: [status: number, method: string, path: string][] = [
  [404, 'GET', '/nothing'],
  [404, 'GET', '/r/x/nothing/here'],
  [404, 'GET', `/r/${long}`],
  [405, 'DELETE', '/api/me'],
  [400, 'GET', '/r/%zz'],
];

test('a request without a route gets its status up to the limit of its address, and 429 beyond it', async () => {
  for (const [status, method, path] of UNKNOWN) {
    const headers = { 'x-forwarded-for': newCaller() };
    const statuses: number[] = [];
    for (let call = 0; call <= MAX; call += 1)
      statuses.push((await fetch(harness.base + path, { method, headers })).status);
    assert.deepEqual(statuses, [...Array(MAX).fill(status), 429], `${method} ${path}`);
    const refused = await fetch(harness.base + path, { method, headers });
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"unknown";q=4;w=60$/);
    assert.deepEqual(Object.keys((await refused.json()) as object), ['error']);
    const docs = await fetch(`${harness.base}/api/docs.md`, { headers });
    assert.equal(docs.status, 200, 'requests without a route do not count for other limits');
    const other = await fetch(harness.base + path, { method, headers: { 'x-forwarded-for': newCaller() } });
    assert.equal(other.status, status, 'another address');
  }
});

test('a request that is refused before routing is counted too', async () => {
  const from = newCaller();
  const send = async (head: string) => {
    const socket = connect(Number(new URL(harness.base).port), '127.0.0.1');
    socket.write(`${head}\r\nX-Forwarded-For: ${from}\r\n\r\n`);
    for await (const chunk of socket) return Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]);
    return undefined;
  };
  const statuses = [];
  for (let call = 0; call < MAX / 2; call += 1) {
    statuses.push(
      await send('GET /api/me HTTP/1.1\r\nHost: h\r\nExpect: a-miracle'),
      await send('GET /api/me HTTP/1.1'),
    );
  }
  assert.deepEqual(statuses, [417, 400, 417, 400]);
  assert.equal(await send('GET /api/me HTTP/1.1'), 429);
});

test('a browser gets the page that retries by itself, in its language', async () => {
  const headers = { 'x-forwarded-for': newCaller(), accept: 'text/html', 'accept-language': 'de' };
  for (const path of [`/r/${mintToken('vr')}/thank-you`, '/r/x/nothing/here', `/r/${long}`]) {
    let page = await fetch(harness.base + path, { headers });
    for (let call = 0; call < MAX && page.status !== 429; call += 1)
      page = await fetch(harness.base + path, { headers });
    assert.equal(page.status, 429, path);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(page.headers.get('content-language'), 'de');
    assert.ok(Number(page.headers.get('refresh')) >= Number(page.headers.get('retry-after')));
  }
});

test('a viewer that uses up the rate of a dashboard does not block a new viewer', async () => {
  const known = mintToken('prj');
  harness.behind.projects = {
    resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
  };
  const look = (from: string, token = known) =>
    fetch(`${harness.base}/project/${token}/submissions`, { headers: { 'x-forwarded-for': from } });
  const greedy = newCaller();
  const statuses = [];
  for (let call = 0; call < 3 * MAX; call += 1) statuses.push((await look(greedy)).status);
  assert.deepEqual(statuses, [...Array(MAX).fill(404), ...Array(2 * MAX).fill(429)]);
  const newcomer = newCaller();
  const first = await look(newcomer);
  assert.equal(first.status, 404, 'a newcomer is not refused');
  assert.match(first.headers.get('ratelimit-policy') ?? '', /^"viewer";q=1;w=60$/);
  assert.equal((await look(newcomer)).status, 429, 'beyond its own share');
  assert.equal((await look(greedy)).status, 429);
  harness.behind.projects = {};
});

test('uploads are never 429: an address that guesses links gets 503 without a look-up, and its own link still works', async () => {
  const mine = mintToken('vr');
  let lookUps = 0;
  harness.behind.projects = {
    async resolveRecipient({ tokenHash }) {
      lookUps += 1;
      if (!hashToken(mine).equals(tokenHash)) throw new DomainError('not_found', 'There is no such link.');
      return { linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1 } as never;
    },
  };
  const headers = { 'x-forwarded-for': newCaller() };
  const head = async (token: string) =>
    (await fetch(`${harness.base}/r/${token}/uploads/u1`, { method: 'HEAD', headers })).status;
  const mineStatus = await head(mine);
  assert.notEqual(mineStatus, 404);
  lookUps = 0;
  const statuses = [];
  for (let call = 0; call < 5 * MAX; call += 1) statuses.push(await head(call % 2 ? mintToken('vr') : 'vr_nonsense'));
  assert.deepEqual(statuses, [...Array(MAX + 1).fill(404), ...Array(4 * MAX - 1).fill(503)]);
  assert.ok(lookUps <= MAX, `${lookUps} look-ups`);
  assert.equal(await head(mine), mineStatus);
  harness.behind.projects = {};
});
