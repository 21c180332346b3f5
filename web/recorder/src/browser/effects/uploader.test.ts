import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { End } from '../state/events.ts';
import { response, take } from '../state/testing.ts';
import type { Spool } from './spool.ts';
import { newTake } from './take.ts';

// What the script finds in a browser.
Object.assign(globalThis, {
  window: globalThis,
  location: { pathname: '/r/vr_1' },
  addEventListener() {},
  removeEventListener() {},
});
const { startUploader } = await import('./uploader.ts');

const spool = { put: async () => {}, append: async () => {} } as unknown as Spool;

/** A server that has the first `offset` bytes of an upload, of which `length` were declared. */
function serverOf(offset: number, length: number) {
  let bytes = '';
  const answer = async (_: unknown, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
    if (method === 'GET') return Response.json(response());
    if (method === 'PATCH') bytes += await (body as Blob).text();
    const headers = { 'Upload-Offset': String(offset + bytes.length), 'Upload-Length': String(length) };
    return new Response(null, { status: method === 'PATCH' ? 204 : 200, headers });
  };
  return { answer, received: () => bytes };
}

test('a device that has less than was sent brings what it has, and comes to an end', { timeout: 10_000 }, async t => {
  for (const [offset, rest] of [
    [3, 'inning'],
    [20, ''],
  ] as const) {
    const server = serverOf(offset, 30);
    t.mock.method(globalThis, 'fetch', server.answer);
    const { size: _, ...record } = take({ sent: true });
    const stored = await newTake(spool, record);
    await stored.append(new Blob(['beginning']));
    const end = await new Promise<End>(resolve => {
      const uploader = startUploader(stored, () => {}, resolve);
      // One that comes to no end would ask for ever.
      t.after(uploader.stop);
    });
    assert.deepEqual(end, { kind: 'short' });
    assert.equal(server.received(), rest);
    t.mock.restoreAll();
  }
});
