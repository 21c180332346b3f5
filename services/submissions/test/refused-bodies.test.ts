import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { begun, harness } from './takes.ts';
import { create } from './test-service.ts';

const BYTES = 4_000_000;

test('a request that is refused before its body arrives gets its answer, and its connection stays open', async () => {
  const response = await begun();
  const { url } = await create(harness, response, { length: 10 * BYTES });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const [status, headers] of [
      [409, { 'Upload-Offset': '7' }],
      [400, { 'Content-Type': 'text/plain' }],
      [412, { 'Tus-Resumable': '0.0.1' }],
      [404, { 'x-link-id': 'another' }],
    ] as const)
      for (let at = 0; at < 5; at++) {
        const outgoing = request(url, {
          method: 'PATCH',
          agent,
          headers: {
            ...response.headers,
            'Upload-Offset': '0',
            'Tus-Resumable': '1.0.0',
            'Content-Type': 'application/offset+octet-stream',
            ...headers,
          },
        }).end(Buffer.alloc(BYTES));
        const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
        assert.deepEqual([answer.statusCode, answer.headers.connection], [status, 'keep-alive']);
        assert.match(await text(answer), /"error"/);
      }
  } finally {
    agent.destroy();
  }
});
