import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { mintToken } from '@recording-request/contract/tokens';
import { type InternalHttp, serveInternally } from '@recording-request/testing/internal-http';
import { OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const token = mintToken('vr');
let harness: TestGateway;
let upstream: InternalHttp;
let answer: RequestListener;

const UPSTREAM: Record<string, RequestListener> = {
  'takes bodies': (incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(201, { location: '/uploads/u1' }).end());
  },
  'answers late': (incoming, response) => {
    incoming.resume();
    setTimeout(() => response.writeHead(201, { location: '/uploads/u1' }).end(), 60);
  },
  'refuses at once': (_incoming, response) => {
    const body = '{"error":"There is no such response."}';
    response.writeHead(404, { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' });
    response.end(body);
  },
  'breaks off': incoming => void incoming.once('data', () => incoming.socket.destroy()),
};

before(async () => {
  upstream = await serveInternally('submissions', (incoming, response) => answer(incoming, response));
  harness = await startTestGateway(
    {
      projects: {
        async resolveRecipient() {
          await delay(5);
          return { linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1 } as never;
        },
      },
    },
    { SUBMISSIONS_HTTP: upstream.url, RATE_LIMIT_ADDRESS_PER_MINUTE: '100000', TOKEN_CACHE_MS: '1' },
  );
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const head = (length: number, path = `/r/${token}/uploads`) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ntus-resumable: 1.0.0\r\nupload-length: ${length}\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${length}\r\n\r\n`;

const UNKNOWN = `/r/${mintToken('vr').slice(0, -1)}!/uploads`;
const BROKEN: Record<string, string> = {
  'a head alone': head(1_000),
  'a part of the body': `${head(1_000)}${'x'.repeat(10)}`,
  'a whole body and another head': `${head(100_000)}${'x'.repeat(100_000)}${head(1_000)}`,
  'a whole body and a part of another one': `${head(50)}${'x'.repeat(50)}${head(50)}${'x'.repeat(10)}`,
  'a request without a body and a head': `GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n${head(1_000)}`,
  'a request without a body and a part': `GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n${head(1_000)}xx`,
  'a part of the body of an unknown link': `${head(1_000, UNKNOWN)}xx`,
  'a body that is too large': head(3 * 1024 ** 3),
};

for (const [upstreamName, listener] of Object.entries(UPSTREAM))
  for (const [name, bytes] of Object.entries(BROKEN))
    test(`a connection that ends after ${name} breaks nothing else, when submissions ${upstreamName}`, async () => {
      answer = listener;
      const moments = [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30];
      await Promise.all(moments.flatMap(ms => [true, false].map(half => endAfter(bytes, ms, half))));
      assert.equal((await fetch(`${harness.base}/healthz`)).status, 200);
    });

/** Sends `bytes`, and ends the connection after `ms`: during the look-up, during the body, or after the answer. */
async function endAfter(bytes: string, ms: number, half: boolean): Promise<void> {
  const socket = connect({ port: Number(new URL(harness.base).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  socket.write(bytes);
  await delay(ms);
  if (!half) return void socket.resetAndDestroy();
  socket.end();
  if (!socket.closed) await once(socket, 'close');
}
