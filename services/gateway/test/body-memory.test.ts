import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { hashToken } from '@recording-request/contract/tokens';
import { until } from '@recording-request/testing/wait';
import { OWNER_ID, startTestGateway, type TestGateway } from './test-service.ts';

const MEMORY_BYTES = 8 * 1024 * 1024;
const BODY_BYTES = 1_000_000;
const OTHER_OWNER = '019a0000-0000-7000-8000-000000000009';

let gateway: TestGateway;
let other: { authorization: string };
before(async () => {
  gateway = await startTestGateway({}, { BODY_MEMORY_BYTES: String(MEMORY_BYTES) });
  const token = gateway.tokenWith(['projects:write']);
  other = { authorization: `Bearer ${token}` };
  gateway.behind.accounts = {
    async authenticate({ tokenHash }) {
      const userId = hashToken(token).equals(tokenHash) ? OTHER_OWNER : OWNER_ID;
      return {
        user: { userId, userName: 'Ada', videosReserved: 1, createdAt: new Date(0) },
        token: { apiTokenId: userId, userId, label: 'test', scopes: ['projects:write'], createdAt: new Date(0) },
      };
    },
  };
});
after(() => gateway[Symbol.asyncDispose]());

/** Begins to send a body. Returns the status of the answer as soon as it arrives. */
function beginBody(headers: Record<string, string>, length = `content-length: ${BODY_BYTES}`) {
  const socket: Socket = connect(Number(new URL(gateway.base).port), '127.0.0.1');
  const sent = { socket, status: 0 };
  socket.on('error', () => {});
  socket.on('data', chunk => {
    sent.status ||= Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]);
  });
  const lines = [`authorization: ${headers.authorization}`, 'content-type: application/json', length];
  socket.write(`POST /api/projects HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
  return sent;
}

/** Sends a creation with an invalid body of `bytes`. An answer of 400 shows that the gateway read the body. */
const create = async (headers: Record<string, string>, bytes: number): Promise<number> => {
  const body = JSON.stringify({ projectName: 'x'.repeat(bytes), count: 1 });
  const init = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
  return (await fetch(`${gateway.base}/api/projects`, init)).status;
};

test('large bodies of one owner leave memory for another owner, and return it when their connections close', async () => {
  const begun = Array.from({ length: 8 }, () => beginBody(gateway.bearer));
  await until(
    'bodies beyond one owner’s share are refused',
    async () => begun.filter(({ status }) => status === 503).length === 4,
  );
  assert.equal(begun.filter(({ status }) => status === 0).length, 4);
  assert.equal(await create(other, 500_000), 400);
  assert.equal(await create(gateway.bearer, 1_000), 400, 'a small body is always read');
  assert.equal(await create(gateway.bearer, 900_000), 503);
  for (const { socket } of begun) socket.destroy();
  await until('memory is returned', async () => (await create(gateway.bearer, 900_000)) === 400);
});

test('a body without a length counts as the largest', async () => {
  const begun = Array.from({ length: 6 }, () => beginBody(gateway.bearer, 'transfer-encoding: chunked'));
  await until('some are refused', async () => begun.some(({ status }) => status === 503));
  for (const { socket } of begun) socket.destroy();
});
