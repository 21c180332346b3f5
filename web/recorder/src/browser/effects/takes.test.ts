import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '../state/events.ts';
import { isPart } from '../state/state.ts';
import type { Take, TakeRecord } from '../state/take.ts';
import { take } from '../state/testing.ts';
import type { Spool } from './spool.ts';

// The browser globals of the script.
Object.assign(globalThis, { location: { pathname: '/r/vr_1' }, MediaRecorder: { isTypeSupported: () => true } });
Object.defineProperty(globalThis, 'navigator', { value: { vendor: '', userAgent: '' } });
const { createTakes } = await import('./takes.ts');

/** A device that keeps takes between visits. */
function emptyDevice(): Spool {
  const records = new Map<string, TakeRecord>();
  const chunks = new Map<string, ArrayBuffer[]>();
  return {
    takes: async () => structuredClone([...records.values()]),
    put: async record => void records.set(record.id, structuredClone(record)),
    append: async (id, _, bytes) => void chunks.set(id, [...(chunks.get(id) ?? []), bytes]),
    chunks: async id => chunks.get(id) ?? [],
    async forget(id) {
      records.delete(id);
      chunks.delete(id);
    },
  };
}

/** Opens a page on the device, with `file` chosen. */
function visit(device: Spool, file?: object) {
  const events: Event[] = [];
  const input = { files: file ? [file] : [] } as unknown as HTMLInputElement;
  const takes = createTakes({ input, link: '/r/vr_1' }, event => events.push(event), Promise.resolve(device));
  const makeTake = async (type?: string) => {
    const answer = { answerMode: type === undefined ? ('video' as const) : ('file' as const), signed: false };
    const take = { responseSessionId: 'r1', questionIndex: null, type, note: '', ...answer };
    await takes.effects.makeTake({ do: 'makeTake', ...take });
    const made = events.at(-1);
    assert.ok(made?.is === 'takeMade');
    return takes.get(made.take.id)!;
  };
  return { ...takes, events, makeTake };
}

async function leftOn(device: Spool): Promise<readonly Take[]> {
  const { effects, events } = visit(device);
  await effects.findLeftTakes({ do: 'findLeftTakes' });
  const left = events.at(-1);
  assert.ok(left?.is === 'leftTakes');
  return left.takes;
}

test('a later visit offers an interrupted recording, but not a partially read file', async () => {
  const device = emptyDevice();
  const before = visit(device);
  const recording = await before.makeTake();
  const part = await before.makeTake('video/mp4');
  const whole = await before.makeTake('video/mp4');
  for (const each of [recording, part, whole]) await each.append(new Blob(['bytes']));
  await whole.update({ stopped: true });
  const left = (await leftOn(device)).map(({ id }) => id);
  assert.deepEqual(left.sort(), [recording.record.id, whole.record.id].sort());
  assert.deepEqual(await device.chunks(part.record.id), [], 'the take uses no space any more');
});

test('a file that cannot be read to its end is reported', async () => {
  const MEGABYTE = 1024 ** 2;
  const gone = { size: 1, arrayBuffer: () => Promise.reject(new DOMException('gone', 'NotReadableError')) };
  const file = { size: 5 * MEGABYTE, slice: (at: number) => (at === 0 ? new Blob(['beginning']) : gone) };
  const { effects, events, makeTake } = visit(emptyDevice(), file);
  const { record } = await makeTake('video/mp4');
  await effects.storeFile({ do: 'storeFile', id: record.id });
  assert.equal(events.at(-1)?.is, 'fileUnreadable');
  assert.equal(record.stopped, false);
});

test('a later visit knows that a full device has only a part of a take', async () => {
  for (const isFull of [true, false]) {
    const device = emptyDevice();
    const recorded = await visit(device).makeTake();
    await recorded.append(new Blob(['beginning']));
    if (isFull) device.append = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    await recorded.append(new Blob(['end']));
    assert.equal(isPart(recorded.snapshot()), false, 'this visit has all of it');
    await recorded.update({ stopped: true });
    assert.deepEqual((await leftOn(device)).map(isPart), [isFull]);
  }
});

test('a file that disappears is read from the device; if the device has not stored it, the file may reappear', async t => {
  for (const stored of [true, false]) {
    const device = emptyDevice();
    if (!stored) device.append = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    const { effects, makeTake } = visit(device, new Blob(['all of the file']));
    const chosen = await makeTake('video/mp4');
    await effects.storeFile({ do: 'storeFile', id: chosen.record.id });
    const reading = t.mock.method(Blob.prototype, 'arrayBuffer');
    reading.mock.mockImplementationOnce(() => Promise.reject(new DOMException('gone', 'NotReadableError')));
    if (!stored) await assert.rejects(chosen.read(0, 6), { name: 'NotReadableError' });
    const bytes = await chosen.read(0, 6);
    t.mock.restoreAll();
    assert.equal(await bytes.text(), 'all of');
  }
});

test('the server keeps the sent bytes of a replaced take', async t => {
  const requested: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { method }: RequestInit) => {
    requested.push(`${method} ${url}`);
    return new Response(null, { status: 204 });
  });
  for (const sent of [true, false]) {
    const device = emptyDevice();
    const { effects, makeTake } = visit(device);
    const stored = await makeTake('video/mp4');
    await stored.update({ stopped: true, sent, uploadUrl: `/r/vr_1/uploads/${sent ? 'sent' : 'open'}` });
    await effects.discardTake({ do: 'discardTake', take: take({ id: stored.record.id }) });
    assert.deepEqual(await device.takes(''), [], 'the take is not on the device any more');
  }
  assert.deepEqual(requested, ['DELETE /r/vr_1/uploads/open']);
});
