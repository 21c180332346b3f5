import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeAuthority } from '@recording-request/stack/authority';
import { objectReader } from '../src/adapters/object-reader.ts';
import { serve, startFakeStore } from './fake-store.ts';

const CONTENT = randomBytes(8_000_000);
const sumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('an object is read whole over TLS, also by a reader that is slower than the store', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-store-tls-'));
  try {
    const authority = await makeAuthority();
    const caFile = join(dir, 'ca.crt');
    await writeFile(caFile, authority.cert);
    await using store = await startFakeStore(await authority.issue(['localhost']));
    store.answer = (incoming, response) => serve(CONTENT, incoming, response);
    const openObject = objectReader(caFile);
    const whole = { length: CONTENT.length, signal: AbortSignal.timeout(60_000) };
    // After each chunk, the reader waits for no turn, a few turns or many turns of the event loop.
    for (const turns of [0, 1, 3, 20]) {
      const bytes = await openObject(`${store.url}/bucket/object`, whole);
      const hash = createHash('sha256');
      for await (const chunk of bytes!) {
        for (let taken = 0; taken < turns; taken++) await turn();
        hash.update(chunk);
      }
      assert.equal(hash.digest('hex'), sumOf(CONTENT), `a reader that takes ${turns} turns`);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
