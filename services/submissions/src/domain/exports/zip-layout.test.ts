import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { run } from '@recording-request/fixtures/run';
import { directoryRecord, endRecords, localHeader, localHeaderLength, type ZipFile } from './zip-layout.ts';

const GIB = 1024 ** 3;
const DAY = new Date('2026-01-02T03:04:05.678Z');
const SMALL = Buffer.from('recording request');

let scratch = '';
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'zip-layout-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

const small = (name: string): ZipFile => ({ name, date: DAY, size: SMALL.length, crc32: crc32(SMALL) });
/** Zeros, which the file system stores as holes. No test reads them, so their CRC-32 does not matter. */
const holes = (name: string, size: number): ZipFile => ({ name, date: DAY, size, crc32: 0 });

/** Writes a ZIP with this layout. Only headers and small files take space on the disk. */
async function written(files: ZipFile[]): Promise<string> {
  const path = join(scratch, 'layout.zip');
  const file = await open(path, 'w');
  try {
    const records: Buffer[] = [];
    let pending: Buffer[] = [];
    let at = 0;
    let pendingAt = 0;
    const flush = async () => {
      await file.write(Buffer.concat(pending), undefined, undefined, pendingAt);
      pending = [];
    };
    for (const each of files) {
      records.push(directoryRecord(each, at));
      const header = localHeader(each);
      assert.equal(header.length, localHeaderLength(each));
      const isSmall = each.size === SMALL.length;
      pending.push(header, ...(isSmall ? [SMALL] : []));
      at += header.length + each.size;
      if (isSmall) continue;
      await flush();
      pendingAt = at;
    }
    const directory = Buffer.concat(records);
    pending.push(directory, endRecords(files.length, directory.length, at));
    await flush();
  } finally {
    await file.close();
  }
  return path;
}

const LOOK = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    entries = archive.infolist()
    few = entries[:100] + entries[-100:]
    for entry in few:
        with archive.open(entry) as stream:
            first = stream.read(1)
        if entry.file_size < 1000:
            archive.read(entry)
    json.dump({"count": len(entries), "names": len({e.filename for e in entries}), "last": entries[-1].filename,
               "stored": all(e.compress_type == zipfile.ZIP_STORED and e.flag_bits == 0 for e in entries),
               "date": entries[0].date_time, "mode": entries[0].external_attr >> 16,
               "sizes": [e.file_size for e in few], "lastOffset": entries[-1].header_offset}, sys.stdout)
`;

/** Returns the files that Python's zipfile finds. It rejects a wrong header, offset or checksum. */
const seenBy = async (files: ZipFile[]) => JSON.parse(await run('python3', ['-c', LOOK, await written(files)]));

test('files are stored as they are, with their date, mode, size and checksum, and without data descriptors', async () => {
  const seen = await seenBy([small('project.json'), small('videos/0001-clip.webm')]);
  assert.deepEqual(seen, {
    ...{ count: 2, names: 2, last: 'videos/0001-clip.webm', stored: true },
    ...{ date: [2026, 1, 2, 3, 4, 4], mode: 0o100644 },
    ...{ sizes: [17, 17, 17, 17], lastOffset: 30 + 12 + 17 },
  });
});

test('an archive without files is valid', async () => {
  assert.equal(endRecords(0, 0, 0).length, 22);
  assert.equal(await run('python3', ['-m', 'zipfile', '-t', await written([])]), 'Done testing\n');
});

test('more files than a ZIP without Zip64 can count open in Python', async () => {
  for (const count of [65_534, 65_535, 65_540]) {
    const files = Array.from({ length: count }, (_, at) => small(`videos/${at}`));
    const seen = await seenBy(files);
    assert.deepEqual([seen.count, seen.names, seen.last], [count, count, `videos/${count - 1}`]);
    assert.equal(endRecords(count, 0, 0).length, count < 65_535 ? 22 : 98);
  }
});

test('files and offsets past 4 GiB open in Python, at the last byte without Zip64 and the first with it', async () => {
  const limit = 2 ** 32 - 1;
  for (const size of [limit - 1, limit, limit + 1, 5 * GIB]) {
    const seen = await seenBy([holes('large', size), small('after')]);
    assert.deepEqual(seen.sizes.slice(0, 2), [size, SMALL.length]);
    assert.equal(seen.lastOffset, localHeaderLength(holes('large', size)) + size);
  }
  const many = Array.from({ length: 6 }, (_, at) => holes(`large ${at}`, GIB));
  const seen = await seenBy([...many, small('after')]);
  assert.equal(seen.lastOffset, 6 * (30 + 7 + GIB));
});
