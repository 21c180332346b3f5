import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  presentCreatedLink,
  presentDelivery,
  presentOwnLink,
  presentSubmission,
} from '@recording-request/contract/present';
import { hashToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { type Link, LinkStatus, LinkType, type ListLinksRequest } from '@recording-request/proto/projects/v1/projects';
import { until } from '@recording-request/testing/wait';
import { delivery, submission } from './owner-gateway.ts';
import { asProject, OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const BASE_URL = 'https://rec.example';
/** One token gets a quarter: 3. */
const LIMITS = { LISTS_AT_ONCE: '12' };
let harness: TestGateway;
before(async () => {
  harness = await startTestGateway({}, LIMITS);
});
after(() => harness[Symbol.asyncDispose]());

const at = new Date('2026-01-02T03:04:05.006Z');
const linkAt = (index: number): Link => ({
  linkId: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  token: `vr_${String(index).padStart(38, '0')}`,
  linkType: LinkType.LINK_TYPE_UNIQUE,
  status: LinkStatus.LINK_STATUS_DISABLED,
  maxUses: 1,
  submissionCount: 1,
  remainingUses: 0,
  openedAt: at,
  createdAt: at,
});
const manyLinks = (count: number) => Array.from({ length: count }, (_, index) => linkAt(index));

/**
 * Adds a projects service with `total` links. Its cursor is the number of links on earlier pages. Returns a function
 * that returns the number of requested pages.
 */
function withLinks(total: number): () => number {
  let pages = 0;
  harness.behind.projects = {
    async listLinks({ pageSize = Number.POSITIVE_INFINITY, cursor }: ListLinksRequest) {
      pages++;
      const from = Number(cursor ?? 0);
      const to = Math.min(total, from + pageSize);
      const uniqueLinks = Array.from({ length: to - from }, (_, index) => linkAt(from + index));
      return { uniqueLinks, nextCursor: to < total ? String(to) : undefined };
    },
  };
  return () => pages;
}

const path = `/api/projects/${PROJECT_ID}/links`;
const ask = (init: RequestInit = {}) => fetch(harness.base + path, { headers: harness.bearer, ...init });

test('a long list of links is the same JSON as a short one, sent in pages', async () => {
  for (const total of [0, 3, 500, 1_200]) {
    const pages = withLinks(total);
    const response = await ask();
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    const recipientUrls = manyLinks(total).map(link => presentOwnLink(link, BASE_URL));
    assert.equal(await response.text(), JSON.stringify({ projectId: PROJECT_ID, sharedLink: null, recipientUrls }));
    assert.equal(pages(), Math.max(1, Math.ceil(total / 500)));
  }
  assert.equal(await (await ask({ method: 'HEAD' })).text(), '');
});

test('a failure of the first page is an error, and one of a later page breaks the connection', async () => {
  withLinks(1_200);
  const { listLinks } = harness.behind.projects!;
  const fail = async () => {
    throw new DomainError('unavailable', 'broken');
  };
  harness.behind.projects = { listLinks: async (...call) => (call[0].cursor ? fail() : listLinks!(...call)) };
  await assert.rejects((await ask()).text());
  harness.behind.projects = { listLinks: fail };
  assert.equal((await ask()).status, 503);
});

test('a creation with many links has the same answer as with few, also when it is repeated after changes', async () => {
  const total = 1_200;
  withLinks(total);
  const expiresAt = new Date('2026-02-03T04:05:06.007Z');
  const linkStats = { ...asProject().linkStats, uniqueLinksTotal: total, uniqueLinksRemaining: total };
  harness.behind.projects!.createProject = async () => ({
    project: { ...asProject(), expiresAt, linkStats },
    projectToken: 'prj_x',
    uniqueLinks: manyLinks(500),
    linksCursor: '500',
    user: { userId: OWNER_ID, userName: 'Ada', videosReserved: total, createdAt: at },
    reservedVideoCount: total,
    replayed: true,
  });
  const response = await fetch(`${harness.base}/api/projects`, {
    method: 'POST',
    headers: { ...harness.bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ projectName: 'Stories', count: total }),
  });
  assert.equal(response.headers.get('idempotent-replayed'), 'true');
  const text = await response.text();
  const made = JSON.parse(text) as { count: number; recipientUrls: object[] };
  assert.equal(text, JSON.stringify(made), 'without a space');
  assert.equal(Object.keys(made).slice(-4).join(), 'recipientUrls,counts,sandbox,sandboxEndsAt');
  assert.equal(made.count, total);
  const shown = manyLinks(total).map(link => presentCreatedLink(link, { baseUrl: BASE_URL, expiresAt }));
  assert.deepEqual(made.recipientUrls, shown);
  const { status, openedAt, remainingUses } = shown[700]!;
  assert.deepEqual([status, openedAt, remainingUses], ['active', null, 1]);
});

test('a page of submissions has the requested number, however few the service returns at once', async () => {
  const all = Array.from({ length: 30 }, (_, index) => ({ ...submission, transcriptText: `said ${index}` }));
  const requested: [string, number, boolean][] = [];
  harness.behind.projects = { getProject: async () => ({ projectName: 'Stories', project: asProject() }) };
  harness.behind.submissions = {
    async listSubmissions({ cursor, pageSize, presentation }) {
      requested.push([cursor, pageSize, presentation !== undefined]);
      const from = Number(cursor);
      const to = Math.min(all.length, from + Math.min(pageSize, 8));
      return { submissions: all.slice(from, to), nextCursor: to < all.length ? String(to) : '' };
    },
  };
  const list = async (limit: number) => {
    const url = `${harness.base}/api/projects/${PROJECT_ID}/submissions?limit=${limit}`;
    return await (await fetch(url, { headers: harness.bearer })).text();
  };
  const page = (to: number, nextCursor: string | null) =>
    JSON.stringify({
      projectId: PROJECT_ID,
      submissions: all.slice(0, to).map(each => presentSubmission(each, { baseUrl: BASE_URL, projectName: 'Stories' })),
      pagination: { nextCursor },
    });
  assert.equal(await list(20), page(20, '20'));
  assert.deepEqual(requested.splice(0), [
    ['', 20, true],
    ['8', 12, false],
    ['16', 4, false],
  ]);
  assert.equal(await list(100), page(30, null));
  assert.deepEqual(requested.splice(0)[0], ['', 100, true], 'only the first part is requested as JSON');
  assert.equal(await list(5), page(5, '5'));
});

test('a page of deliveries has the requested number', async () => {
  const all = Array.from({ length: 10 }, (_, index) => ({ ...delivery, attemptCount: index }));
  harness.behind.projects = { getProject: async () => ({ projectName: 'Stories' }) };
  harness.behind.webhooks = {
    async listDeliveries({ cursor, pageSize }) {
      const from = Number(cursor);
      const to = Math.min(all.length, from + Math.min(pageSize, 3));
      return { deliveries: all.slice(from, to), nextCursor: to < all.length ? String(to) : '' };
    },
  };
  const url = `${harness.base}/api/projects/${PROJECT_ID}/webhook-deliveries?limit=7`;
  const text = await (await fetch(url, { headers: harness.bearer })).text();
  const deliveries = all.slice(0, 7).map(presentDelivery);
  const pagination = { nextCursor: '7' };
  assert.equal(text, JSON.stringify({ projectId: PROJECT_ID, endpoint: null, deliveries, pagination }));
});

test('an owner at the memory limit for answers gets 503 for large answers only; other owners get no 503', async () => {
  await using narrow = await startTestGateway({}, { ANSWER_MEMORY_BYTES: String(4 * 1024 ** 2) });
  const waiting: (() => void)[] = [];
  narrow.behind.projects = {
    listLinks: () => new Promise(resolve => waiting.push(() => resolve({ uniqueLinks: manyLinks(2) }))),
  };
  const another = '019a0000-0000-7000-8000-00000000000f';
  const token = narrow.tokenWith(['links:read']);
  const hash = hashToken(token);
  narrow.behind.accounts = {
    getUser: async () => ({ user: { userId: OWNER_ID, userName: 'Ada', videosReserved: 1, createdAt: at } }),
    authenticate: async ({ tokenHash }) => {
      const userId = hash.equals(tokenHash) ? another : OWNER_ID;
      return {
        user: { userId, userName: 'Ada', videosReserved: 1, createdAt: at },
        token: { apiTokenId: userId, userId, label: 'test', scopes: ['links:read', 'profile:read'], createdAt: at },
      };
    },
  };
  const links = (headers: Record<string, string> = narrow.bearer) => fetch(narrow.base + path, { headers });
  // One owner gets half of 4 MiB: four pages of 512 KiB.
  const read = Array.from({ length: 4 }, () => links());
  await until('four pages are made', async () => waiting.length === 4);
  const refused = await links();
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal((await fetch(`${narrow.base}/api/me`, { headers: narrow.bearer })).status, 200);
  read.push(links({ authorization: `Bearer ${token}` }));
  await until('the other owner’s page is made too', async () => waiting.length === 5);
  for (const answer of waiting.splice(0)) answer();
  for (const each of read) assert.equal(((await (await each).json()) as { recipientUrls: [] }).recipientUrls.length, 2);
  const again = links();
  await until('their memory is free again', async () => waiting.length === 1);
  waiting[0]!();
  assert.equal((await again).status, 200);
});

/** Sends requests on a connection without reading the answers. */
function leaveUnread(requests: number): Socket {
  const url = new URL(harness.base);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const request = `GET ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: ${harness.bearer.authorization}\r\n\r\n`;
  socket.pause();
  socket.write(request.repeat(requests));
  return socket;
}

/** Waits until a figure stops changing. */
async function settled(figure: () => number): Promise<number> {
  let before = -1;
  while (figure() !== before) {
    before = figure();
    await delay(300);
  }
  return before;
}

test('unread answers hold a few pages each; lists beyond the limit are 429, and small answers are still sent', async () => {
  const pages = withLinks(1_000_000);
  const connections = Array.from({ length: 40 }, () => leaveUnread(3));
  try {
    await until('the token has reached its limit', async () => (await ask()).status === 429);
    const refused = await ask();
    assert.equal(refused.headers.get('retry-after'), '10');
    assert.match(((await refused.json()) as { error: string }).error, /^Too many lists are being read; /);
    // For the 3 running lists, the gateway has read as many pages as fit into the buffers up to the client. For the
    // other 117 requests, it has read the first page.
    const read = await settled(pages);
    assert.ok(read < 3 * 40 + 122, `${read} pages of 200 KB were read for clients that read nothing`);
    harness.behind.accounts = {
      getUser: async () => ({ user: { userId: OWNER_ID, userName: 'Ada', videosReserved: 1, createdAt: at } }),
    };
    const me = await fetch(`${harness.base}/api/me`, { headers: harness.bearer });
    assert.equal(me.status, 200);
  } finally {
    for (const connection of connections) connection.destroy();
  }
  withLinks(3);
  await until('their places are free again', async () => (await ask()).status === 200);
});
