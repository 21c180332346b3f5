import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { End } from '../state/events.ts';
import { response, take } from '../state/testing.ts';
import type { Spool } from './spool.ts';
import { newTake, readTake, type StoredTake } from './take.ts';

// The browser globals of the script.
Object.assign(globalThis, {
  window: globalThis,
  location: { pathname: '/r/vr_1' },
  addEventListener() {},
  removeEventListener() {},
});
const { startUploader } = await import('./uploader.ts');

const spool = { put: async () => {}, append: async () => {}, chunks: async () => [] } as unknown as Spool;

/** A server with the first `offset` bytes of an upload and a declared `length`, which is undefined before Send. */
function serverOf(offset: number, length?: number) {
  let bytes = '';
  const answer = async (_: unknown, { method = 'GET', body, headers }: RequestInit = {}): Promise<Response> => {
    if (method === 'GET') return Response.json(response());
    if (method === 'PATCH') bytes += await (body as Blob).text();
    const declared = new Headers(headers).get('Upload-Length');
    if (declared !== null) length = Number(declared);
    const reached = offset + bytes.length;
    const answerHeaders: Record<string, string> = { 'Upload-Offset': String(reached) };
    if (length !== undefined) answerHeaders['Upload-Length'] = String(length);
    if (method === 'PATCH' && reached === length)
      return Response.json({ submissionId: 's1' }, { headers: answerHeaders });
    return new Response(null, { status: method === 'PATCH' ? 204 : 200, headers: answerHeaders });
  };
  return { answer, received: () => bytes, declared: () => length };
}

const endOf = (t: TestContext, stored: StoredTake): Promise<End> =>
  new Promise(resolve => {
    const uploader = startUploader(stored, () => {}, resolve);
    // An uploader that has not ended would send requests forever.
    t.after(uploader.stop);
  });

test('a device with less than was sent uploads what it has, and ends', { timeout: 10_000 }, async t => {
  for (const [offset, rest] of [
    [3, 'inning'],
    [20, ''],
  ] as const) {
    const server = serverOf(offset, 30);
    t.mock.method(globalThis, 'fetch', server.answer);
    const { size: _, ...record } = take({ sent: true });
    const stored = await newTake(spool, record);
    await stored.append(new Blob(['beginning']));
    assert.deepEqual(await endOf(t, stored), { kind: 'short' });
    assert.equal(server.received(), rest);
    t.mock.restoreAll();
  }
});

test('a full device does not send its part of a take as the whole', { timeout: 10_000 }, async t => {
  const beginning = await new Blob(['beginning']).arrayBuffer();
  const device = { ...spool, chunks: async () => [beginning] };
  const { size: _, ...record } = take({ sent: true, recorded: 30 });
  for (const [offset, rest, kind] of [
    [3, 'inning', 'short'],
    [20, '', 'short'],
    [30, '', 'landed'],
  ] as const) {
    // The page also sent the bytes that did not fit on the device, so the server may have more of the take than the
    // device, or all of it.
    const server = serverOf(offset);
    t.mock.method(globalThis, 'fetch', server.answer);
    assert.deepEqual(await endOf(t, await readTake(device, { ...record })), { kind });
    assert.deepEqual([server.declared(), server.received()], [30, rest]);
    t.mock.restoreAll();
  }
});

test('a device that did not store Send learns the size of a take from the server', { timeout: 10_000 }, async t => {
  t.mock.method(globalThis, 'fetch', serverOf(20, 30).answer);
  const { size: _, ...record } = take({ recorded: 9 });
  const stored = await readTake(spool, record);
  assert.deepEqual(await endOf(t, stored), { kind: 'short' });
  assert.deepEqual([stored.record.sent, stored.record.recorded], [true, 30]);
});

test('a file that disappears before the server has all of it ends the upload; a short absence does not', {
  timeout: 20_000,
}, async t => {
  const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
  for (const [isBack, kind, received] of [
    [false, 'unreadable', ''],
    [true, 'landed', ' of the file'],
  ] as const) {
    const { size: _, ...record } = take({ byFile: true, sent: true });
    const stored = await newTake(spool, record);
    await stored.append(new Blob(['all of the file']));
    const server = serverOf(3, 15);
    t.mock.method(globalThis, 'fetch', server.answer);
    const reading = t.mock.method(Blob.prototype, 'arrayBuffer');
    if (isBack) reading.mock.mockImplementationOnce(gone);
    else reading.mock.mockImplementation(gone);
    assert.deepEqual(await endOf(t, stored), { kind });
    assert.equal(server.received(), received);
    t.mock.restoreAll();
  }
});
