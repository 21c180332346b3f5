import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@recording-request/fixtures/run';

const CSV = `
import csv, json, sys
csv.field_size_limit(10_000_000)
def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))
json.dump([rows(path) for path in sys.argv[1:]], sys.stdout)
`;

const ZIP = `
import json, sys, zipfile, zlib
with zipfile.ZipFile(sys.argv[1]) as archive:
    bad = archive.testzip()
    entries = [{"name": e.filename, "size": e.file_size, "stored": e.compress_type == zipfile.ZIP_STORED,
                "text": archive.read(e).decode() if e.filename.endswith((".json", ".csv", ".txt", ".vtt", ".srt")) else None}
               for e in archive.infolist()]
json.dump({"bad": bad, "entries": entries}, sys.stdout)
`;

type Rows = Record<string, string>[];

/** Returns the rows as Python's csv module reads them, keyed by the header. */
export const readCsv = async (scratch: string, bytes: Uint8Array): Promise<Rows> =>
  (await readCsvs(scratch, [bytes]))[0]!;

/** Reads several CSV files in one process, like `readCsv`. */
export const readCsvs = (scratch: string, files: readonly Uint8Array[]): Promise<Rows[]> => python(scratch, CSV, files);

export interface ZipEntry {
  name: string;
  size: number;
  stored: boolean;
  /** The content of a text file; null for others. */
  text: string | null;
}

export interface ZipListing {
  /** The name of the first entry with a wrong checksum. */
  bad: string | null;
  entries: ZipEntry[];
}

/** Returns the entries that Python's zipfile module reads. */
export const readZip = (scratch: string, bytes: Uint8Array): Promise<ZipListing> => python(scratch, ZIP, [bytes]);

/** Returns the same as `readZip`, for a file that is too large for memory. */
export const readZipFile = async (path: string): Promise<ZipListing> =>
  JSON.parse(await run('python3', ['-c', ZIP, path]));

async function python<T>(scratch: string, script: string, files: readonly Uint8Array[]): Promise<T> {
  const paths = files.map(() => join(scratch, randomUUID()));
  await Promise.all(paths.map((path, at) => writeFile(path, files[at]!)));
  return JSON.parse(await run('python3', ['-c', script, ...paths]));
}
