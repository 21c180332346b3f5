import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { mintToken } from '@recording-request/contract/tokens';
import { type InternalHttp, serveInternally } from '@recording-request/testing/internal-http';
import { OWNER_ID, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

const BYTES = 4 * 1024 ** 2;
const REQUESTS = 25;
const BODY = '{"error":"Upload-Offset must be 0."}';

let harness: TestGateway;
let upstream: InternalHttp;
let answer: RequestListener;
before(async () => {
  upstream = await serveInternally('submissions', (incoming, response) => answer(incoming, response));
  harness = await startTestGateway(
    {
      projects: {
        resolveRecipient: async () =>
          ({ linkId: 'link-1', projectId: PROJECT_ID, ownerId: OWNER_ID, linkType: 2, status: 1 }) as never,
      },
    },
    { SUBMISSIONS_HTTP: upstream.url, RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' },
  );
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

test('an answer before the end of a large body reaches its client', async () => {
  answer = (incoming, response) => {
    response.writeHead(409, { 'content-type': 'application/json', 'content-length': BODY.length });
    response.end(BODY, () => incoming.resume());
  };
  for (let at = 0; at < REQUESTS; at++) {
    const response = await fetch(`${harness.base}/r/${mintToken('vr')}/uploads/u1`, {
      method: 'PATCH',
      headers: { 'tus-resumable': '1.0.0', 'upload-offset': '1', 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(BYTES),
    });
    assert.equal(response.status, 409);
    assert.match(await response.text(), /Upload-Offset/);
  }
});

test('the refusal of a body that is too large reaches a client that reads only after it has sent everything', async () => {
  const { hostname, port } = new URL(harness.base);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  const bytes = 3 * BYTES;
  const head = `POST /api/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${harness.bearer.authorization}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`);
  await promisify((body: Buffer, done: (error?: Error | null) => void) => socket.write(body, done))(
    Buffer.alloc(bytes),
  );
  assert.match(await text(socket), /^HTTP\/1\.1 413 [\s\S]*1,048,576 bytes/);
});
