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

const links = [mintToken('vr'), mintToken('vr'), mintToken('vr')] as const;
const byHash = new Map(links.map((token, at) => [hashToken(token).toString('hex'), `link-${at}`]));
const held: ServerResponse[] = [];
/** The look-up of a link waits for this. */
let lookUp: Promise<void> = Promise.resolve();
let upstream: InternalHttp;
let harness: TestGateway;

before(async () => {
  // An upload service that takes everything and answers when the test lets it.
  upstream = await serveInternally('submissions', (incoming, response) => {
    incoming.resume();
    held.push(response);
  });
  harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient({ tokenHash }) {
          await lookUp;
          return {
            ownerId: OWNER_ID,
            projectId: PROJECT_ID,
            linkId: byHash.get(Buffer.from(tokenHash).toString('hex'))!,
            linkType: 2 as const,
            status: 1 as const,
          };
        },
      },
    },
    {
      SUBMISSIONS_HTTP: upstream.url,
      UPLOADS_AT_ONCE: '4',
      UPLOADS_AT_ONCE_PER_LINK: '3',
      UPLOADS_AT_ONCE_PER_CLIENT: '2',
      TRUSTED_PROXIES: '1',
    },
  );
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** An upload request of a client at a link; its status once it is answered. */
const upload = async (link: 0 | 1 | 2, address: string): Promise<Response> =>
  fetch(`${harness.base}/r/${links[link]}/uploads/u1`, {
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

test('nobody takes the whole upload capacity: 503 for one client, for one link and in all, until one ends', async () => {
  const going = [upload(0, '10.0.0.1'), upload(0, '10.0.0.1')];
  await running(2);
  await refused(upload(0, '10.0.0.1'), 'a third of one client');
  going.push(upload(0, '10.0.0.2'));
  await running(3);
  await refused(upload(0, '10.0.0.3'), 'a fourth of one link');
  going.push(upload(1, '10.0.0.1'));
  await running(4);
  await refused(upload(1, '10.0.0.9'), 'a fifth of all');
  for (const response of held.splice(0)) response.writeHead(204).end();
  assert.deepEqual(
    (await Promise.all(going)).map(response => response.status),
    [204, 204, 204, 204],
  );
  const again = upload(0, '10.0.0.1');
  await running(1);
  held.pop()!.writeHead(204).end();
  assert.equal((await again).status, 204);
});

/** An upload request on a connection of its own; the gateway's end of it, once it has begun with it. */
async function begin(link: 0 | 1 | 2, address: string): Promise<{ client: Socket; end: Socket }> {
  const client = connect(Number(new URL(harness.base).port), '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const look = (message: unknown) => {
    const { request, socket } = message as { request: { url: string }; socket: Socket };
    if (request.url.startsWith(`/r/${links[link]}/`)) resolve(socket);
  };
  subscribe('http.server.request.start', look);
  const head = `PATCH /r/${links[link]}/uploads/u1 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n`;
  client.write(`${head}Content-Length: 1\r\n\r\nx`);
  const end = await promise;
  unsubscribe('http.server.request.start', look);
  return { client, end };
}

test('a client that leaves while its link is looked up does not count as an upload', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  lookUp = promise;
  for (let clients = 0; clients < 2; clients++) {
    const { client, end } = await begin(2, '10.0.0.5');
    const closed = once(end, 'close');
    client.destroy();
    await closed;
  }
  resolve();
  const going = [upload(2, '10.0.0.5'), upload(2, '10.0.0.5')];
  await Promise.race([running(2), Promise.any(going)]);
  for (const response of held.splice(0)) response.writeHead(204).end();
  assert.deepEqual(
    (await Promise.all(going)).map(response => response.status),
    [204, 204],
  );
});
