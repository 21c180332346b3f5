import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { noteChunk } from './collect-chunks.ts';

const MIB = 1024 * 1024;
const PIECES = 256;
// Several rounds, because the memory of one round depends on the machine's load.
const ROUNDS = 5;

/** Returns the mean memory of buffers while a body of 256 MiB is read and dropped. */
async function memoryOf(note: (bytes: number) => void): Promise<{ bytes: number; held: number }> {
  let [bytes, chunks, sum] = [0, 0, 0];
  const server = createServer(async (incoming, response) => {
    for await (const chunk of incoming) {
      note(chunk.length);
      bytes += chunk.length;
      chunks += 1;
      sum += process.memoryUsage().arrayBuffers;
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sending = request({ port: (server.address() as AddressInfo).port, method: 'PUT' });
  const body = new PassThrough();
  const sent = pipeline(body, sending);
  const piece = Buffer.alloc(MIB);
  for (let i = 0; i < PIECES; i += 1) if (!body.write(piece)) await once(body, 'drain');
  body.end();
  const [[answer]] = await Promise.all([once(sending, 'response'), sent]);
  answer.resume();
  await once(answer, 'end');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  return { bytes, held: sum / chunks };
}

test('the memory of a body of any length is freed while it arrives', async () => {
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const collected = await memoryOf(noteChunk);
    const plain = await memoryOf(() => {});
    assert.equal(plain.bytes, PIECES * MIB);
    assert.equal(collected.bytes, PIECES * MIB);
    shares.push(collected.held / plain.held);
  }
  const middle = shares.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]!;
  const each = shares.map(share => share.toFixed(2)).join(', ');
  assert.ok(middle < 0.75, `shares of the memory without it: ${each}`);
});
