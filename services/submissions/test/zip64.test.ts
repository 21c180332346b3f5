import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import type { Objects } from '@recording-request/kit/objects';
import type { Submission } from '../src/domain/submission.ts';
import type { ExportSource } from '../src/workflows/export-project.ts';
import { zipOf } from '../src/workflows/export-zip.ts';

// One more than the count that a ZIP without Zip64 can hold, with the three documents.
const MANY = 65_536;
const GIB = 1024 ** 3;
const BLOCK = Buffer.alloc(1024 * 1024, 'recording request ');
const DAY = new Date('2026-01-02T03:04:05.678Z');

let scratch = '';
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'zip64-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

/** As many submissions as were asked for, with videos of these sizes in turn; only what the ZIP looks at is there. */
function sourceOf(count: number, sizes: number[]): { source: ExportSource; objects: Objects } {
  const submission = (at: number) => {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    const video = { key: String(sizes[at % sizes.length]), size: sizes[at % sizes.length], mimeType: 'video/webm' };
    return { id, createdAt: DAY, video } as Submission;
  };
  const source = {
    project: { projectName: 'Many' },
    links: null,
    missing: [],
    confirm: async () => {},
    changedAt: DAY,
    async *submissions() {
      for (let at = 0; at < count; at += 1) yield submission(at);
    },
    present: ({ id }: Submission) => ({
      submissionId: id,
      createdAt: DAY.toISOString(),
      durationSec: null,
      questionText: null,
    }),
  } as unknown as ExportSource;
  return { source, objects: { get: async (key: string) => Readable.from(blocks(Number(key))) } as unknown as Objects };
}

function* blocks(size: number): Iterable<Buffer> {
  for (let left = size; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, Math.min(left, BLOCK.length));
}

const LOOK = `
import json, struct, sys, zipfile, zlib
path, check = sys.argv[1], sys.argv[2] == "all"
with open(path, "rb") as file:
    file.seek(-22, 2)
    end = struct.unpack("<4s4H2IH", file.read(22))
with zipfile.ZipFile(path) as archive:
    entries = archive.infolist()
    # The small ones read whole, checksums and all; of many the first and the last thousands.
    few = entries if check else entries[:1000] + entries[-1000:]
    read = sum(len(archive.read(entry)) for entry in few if entry.file_size < 1 << 28)
    big = 0
    for entry in (e for e in few if e.file_size >= 1 << 28):
        with archive.open(entry) as stream:
            while piece := stream.read(1 << 20):
                big += len(piece)
    json.dump({"entries": len(entries), "names": len({e.filename for e in entries}), "last": entries[-1].filename,
               "lastOffset": entries[-1].header_offset, "bytes": sum(e.file_size for e in entries[3:]),
               "read": read, "big": big, "signature": end[0].hex(), "count": end[4], "offset": end[6]}, sys.stdout)
`;

interface Seen {
  entries: number;
  names: number;
  last: string;
  lastOffset: number;
  /** Of the videos, as the directory lists them. */
  bytes: number;
  read: number;
  big: number;
  signature: string;
  count: number;
  offset: number;
}

/** Writes project.zip and has Python's zipfile read it; a wrong checksum or offset rejects. */
async function zipped(what: ReturnType<typeof sourceOf>, all: boolean): Promise<Seen> {
  const path = join(scratch, 'project.zip');
  const chunks = zipOf(what.source, what.objects, new AbortController().signal);
  await pipeline(chunks, createWriteStream(path));
  const seen = JSON.parse(await run('python3', ['-c', LOOK, path, all ? 'all' : 'some']));
  await rm(path);
  return seen;
}

const ENDS_PLAINLY = '504b0506';

test('more entries than a ZIP without Zip64 can count', { timeout: 300_000 }, async t => {
  const began = performance.now();
  const seen = await zipped(sourceOf(MANY, [40]), false);
  t.diagnostic(`${seen.entries} entries in ${Math.round(performance.now() - began)} ms`);
  assert.equal(seen.entries, MANY + 3);
  assert.equal(seen.names, MANY + 3);
  assert.equal(seen.bytes, MANY * 40);
  assert.match(seen.last, /^videos\/65536-/);
  assert.equal(seen.signature, ENDS_PLAINLY);
  assert.equal(seen.count, 0xffff, 'the plain directory says to look at the Zip64 one');
});

test('more bytes than a ZIP without Zip64 can address, in one video and before another', {
  timeout: 600_000,
}, async t => {
  const began = performance.now();
  const seen = await zipped(sourceOf(2, [4 * GIB + 5, 7]), true);
  t.diagnostic(`${seen.bytes} bytes in ${Math.round(performance.now() - began)} ms`);
  assert.equal(seen.entries, 5);
  assert.equal(seen.bytes, 4 * GIB + 12);
  assert.equal(seen.big, 4 * GIB + 5, 'read whole, with its checksum');
  assert.ok(seen.lastOffset > 4 * GIB, `the last video begins at ${seen.lastOffset}`);
  assert.equal(seen.signature, ENDS_PLAINLY);
  assert.equal(seen.offset, 0xffffffff, 'the plain directory says to look at the Zip64 one');
});
