import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { type InternalHttp, serveInternally } from '@recording-request/testing/internal-http';
import { until } from '@recording-request/testing/wait';
import { OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

/** Recording links of several owners and their projects. */
const LINKS = Array.from({ length: 20 }, (_, at) => ({
  token: mintToken('vr'),
  linkId: `link-${at}`,
  // Each of the last four links belongs to a different owner.
  ownerId: at < 16 ? OWNER_ID : `owner-${at}`,
  projectId: at < 12 ? PROJECT_ID : `project-${at}`,
}));
const byHash = new Map(LINKS.map(link => [hashToken(link.token).toString('hex'), link]));
const UPLOADS_AT_ONCE = 32;
const held: ServerResponse[] = [];
/** The look-up of a link waits for this. */
let lookUp: Promise<void> = Promise.resolve();
let upstream: InternalHttp;
let harness: TestGateway;

before(async () => {
  // An upload service that reads every byte and answers when the test allows it.
  upstream = await serveInternally('submissions', (incoming, response) => {
    incoming.resume();
    held.push(response);
  });
  harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient({ tokenHash }) {
          await lookUp;
          const { ownerId, projectId, linkId } = byHash.get(Buffer.from(tokenHash).toString('hex'))!;
          return { ownerId, projectId, linkId, linkType: 2 as const, status: 1 as const };
        },
      },
    },
    { SUBMISSIONS_HTTP: upstream.url, UPLOADS_AT_ONCE: String(UPLOADS_AT_ONCE), TRUSTED_PROXIES: '1' },
  );
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Sends a client's upload request to a link. Returns the answer. */
const upload = async (link: number, address: string): Promise<Response> =>
  fetch(`${harness.base}/r/${LINKS[link]!.token}/uploads/u1`, {
    method: 'PATCH',
    body: 'x',
    headers: { 'x-forwarded-for': address },
    signal: AbortSignal.timeout(20_000),
  });
const running = (count: number) => until(`${count} uploads run`, () => held.length >= count, { limitMs: 10_000 });
async function refused(answer: Promise<Response>, why: string): Promise<void> {
  const response = await answer;
  assert.equal(response.status, 503, why);
  assert.equal(response.headers.get('retry-after'), '2');
  assert.match(((await response.json()) as { error: string }).error, /Too many uploads are running/);
}

/** Begins uploads that do not end, until the gateway refuses one. Returns the running uploads. */
async function beginUntilRefused(link: number, address: string): Promise<Promise<Response>[]> {
  const going: Promise<Response>[] = [];
  for (;;) {
    const before = held.length;
    const one = upload(link, address);
    const answer = await Promise.race([one, running(before + 1)]);
    if (answer instanceof Response) {
      await refused(one, 'one more than the share');
      return going;
    }
    going.push(one);
  }
}

/** Ends the running uploads, and expects that every upload was served. */
async function end(going: Promise<Response>[]): Promise<void> {
  for (const response of held.splice(0)) response.writeHead(204).end();
  assert.ok((await Promise.all(going)).every(response => response.status === 204));
}

/** Expects that an upload is admitted and served. */
async function served(link: number, address: string, why: string): Promise<void> {
  const before = held.length;
  const answer = upload(link, address);
  const first = await Promise.race([answer.then(({ status }) => status), running(before + 1)]);
  assert.notEqual(first, 503, why);
  held.pop()!.writeHead(204).end();
  assert.equal((await answer).status, 204, why);
}

test('an address that takes all its slots with the links of a project does not block other contributors', async () => {
  const going: Promise<Response>[] = [];
  for (let link = 0; link < 11; link++) going.push(...(await beginUntilRefused(link, '10.0.0.1')));
  assert.ok(going.length <= UPLOADS_AT_ONCE / 8 + 1, `one address has ${going.length} of ${UPLOADS_AT_ONCE} slots`);
  for (let times = 0; times < 5; times++) await served(16, '10.0.0.9', 'another owner');
  await served(16, '10.0.0.1', 'another owner, at the same address');
  await served(12, '10.0.0.1', 'another project of the same owner, at the same address');
  await served(11, '10.0.0.2', 'another address in the same project');
  await end(going);
});

test('one owner gets half of the slots, whatever the number of its links and their addresses', async () => {
  const going: Promise<Response>[] = [];
  for (let link = 0; link < 16; link++) going.push(...(await beginUntilRefused(link, `10.0.1.${link}`)));
  assert.ok(going.length <= UPLOADS_AT_ONCE / 2, `one owner has ${going.length} of ${UPLOADS_AT_ONCE} slots`);
  going.push(...(await beginUntilRefused(17, '10.0.0.7')));
  await served(18, '10.0.0.8', 'a newcomer beside two owners with full shares');
  await end(going);
});

test('one address gets half of the slots, whatever the number of owners whose links it has', async () => {
  const going: Promise<Response>[] = [];
  for (const link of [0, 12, 13, 16, 17, 18]) going.push(...(await beginUntilRefused(link, '10.0.0.1')));
  assert.ok(going.length <= UPLOADS_AT_ONCE / 2, `one address has ${going.length} of ${UPLOADS_AT_ONCE} slots`);
  await served(0, '10.0.0.2', 'another address at the same link');
  await end(going);
  await served(0, '10.0.0.1', 'the same address once its uploads have ended');
});

/**
 * Sends an upload request on its own connection. Returns both ends of the connection when the gateway has begun to
 * read.
 */
async function begin(link: number, address: string): Promise<{ client: Socket; end: Socket }> {
  const client = connect(Number(new URL(harness.base).port), '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const look = (message: unknown) => {
    const { request, socket } = message as { request: { url: string }; socket: Socket };
    if (request.url.startsWith(`/r/${LINKS[link]!.token}/`)) resolve(socket);
  };
  subscribe('http.server.request.start', look);
  const head = `PATCH /r/${LINKS[link]!.token}/uploads/u1 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n`;
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  const end = await promise;
  unsubscribe('http.server.request.start', look);
  return { client, end };
}

test('a client that leaves during the look-up of its link does not count as an upload', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  lookUp = promise;
  for (let clients = 0; clients < UPLOADS_AT_ONCE; clients++) {
    const { client, end } = await begin(2, '10.0.0.5');
    const closed = once(end, 'close');
    client.destroy();
    await closed;
  }
  resolve();
  await served(2, '10.0.0.5', 'the first upload that stays');
});
