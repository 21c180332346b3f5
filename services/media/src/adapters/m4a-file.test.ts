import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import { isWholeM4a } from './m4a-file.ts';

let root = '';
let path = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'm4a-'));
  path = join(root, 'judged.m4a');
});
after(() => rm(root, { recursive: true, force: true }));

/** Makes an .m4a with ffmpeg. Its index is at the front with `faststart`, otherwise at the end. */
async function sound(seconds: number, ...options: string[]): Promise<Buffer> {
  const made = join(root, 'made.m4a');
  const tone = ['-f', 'lavfi', '-i', 'sine=r=16000', '-t', String(seconds), '-c:a', 'aac', '-b:a', '64k'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...tone, ...options, made]);
  return readFile(made);
}

async function judged(bytes: Buffer): Promise<boolean> {
  await writeFile(path, bytes);
  return isWholeM4a(path);
}

const FASTSTART = ['-movflags', '+faststart'];

test('a file from ffmpeg is complete, with the index at the front or at the end', async () => {
  const [front, end] = [await sound(2, ...FASTSTART), await sound(2)];
  assert.ok(front.indexOf('moov') < front.indexOf('mdat') && end.indexOf('moov') > end.indexOf('mdat'));
  assert.ok(await judged(front));
  assert.ok(await judged(end));
});

test('a file that was cut anywhere is not complete', async () => {
  for (const bytes of [await sound(1, ...FASTSTART), await sound(1)]) {
    const step = Math.ceil(bytes.length / 200);
    for (let length = 0; length < bytes.length; length += step)
      assert.ok(!(await judged(bytes.subarray(0, length))), `${length} of ${bytes.length} bytes`);
    assert.ok(!(await judged(bytes.subarray(0, -1))), 'the last byte');
  }
});

test('a file without samples, or with an index beyond its end, is not complete', async () => {
  assert.ok(!(await judged(await sound(0, ...FASTSTART))), 'no samples');
  const bytes = await sound(1, ...FASTSTART);
  const sizes = bytes.indexOf('stsz') + 4;
  const count = bytes.readUInt32BE(sizes + 8);
  for (const other of [0, count + 1, 0xffff_ffff]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt32BE(other, sizes + 8);
    assert.ok(!(await judged(changed)), `${other} samples`);
  }
  const mdat = bytes.indexOf('mdat');
  for (const size of [0, 7, 0xffff_ffff]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt32BE(size, mdat - 4);
    assert.ok(!(await judged(changed)), `${size} bytes of media`);
  }
});

test('a 64-bit size is read', async () => {
  const bytes = await sound(1);
  const [mdat, moov] = [bytes.indexOf('mdat') - 4, bytes.indexOf('moov') - 4];
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write('mdat', 4, 'latin1');
  const long = (size: number) => {
    header.writeBigUInt64BE(BigInt(size), 8);
    return Buffer.concat([bytes.subarray(0, mdat), header, bytes.subarray(mdat + 8)]);
  };
  assert.ok(await judged(long(moov - mdat + 8)));
  for (const size of [0, 15, moov - mdat + 9, Number.MAX_SAFE_INTEGER]) assert.ok(!(await judged(long(size))));
});

test('a file that is not an MP4 is not complete', async () => {
  assert.ok(!(await judged(Buffer.alloc(0))));
  assert.ok(!(await judged(Buffer.alloc(100_000))));
  assert.ok(!(await judged(Buffer.from('<!doctype html><title>no sound</title>'))));
});
