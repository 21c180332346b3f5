import type { Connection } from 'mongoose';
import { createHashes, type HashEntry } from './hashes.ts';
import { createModels } from './models.ts';

interface Row {
  _id: string;
  projectId: string;
  hash: Buffer;
  former?: { hash: Buffer };
  dashboardHash: Buffer;
}

const BATCH = 1_000;

const SOURCES: { collection: string; fields: Record<string, 1>; entries(row: Row): HashEntry[] }[] = [
  {
    collection: 'tokens',
    fields: { hash: 1, 'former.hash': 1 },
    entries: ({ _id: id, hash, former }) =>
      [hash, ...(former ? [former.hash] : [])].map(each => ({ hash: each, kind: 'token', id })),
  },
  {
    collection: 'links',
    fields: { hash: 1, projectId: 1 },
    entries: ({ _id: id, hash, projectId }) => [{ hash, kind: 'link', id, projectId }],
  },
  {
    collection: 'projects',
    fields: { dashboardHash: 1 },
    entries: ({ _id: id, dashboardHash: hash }) => [{ hash, kind: 'dashboard', id }],
  },
];

/** Notes the hashes of every record; those that are noted stay. What a service of an earlier version makes meanwhile is noted at its first use. */
export async function noteHashes(connection: Connection, report: (line: string) => void): Promise<void> {
  const hashes = createHashes(createModels(connection));
  for (const { collection, fields, entries } of SOURCES) {
    let noted = 0;
    let batch: HashEntry[] = [];
    const rows = connection.db!.collection<Row>(collection).find({}, { projection: fields, sort: { _id: 1 } });
    for await (const row of rows) {
      batch.push(...entries(row as unknown as Row));
      if (batch.length < BATCH) continue;
      await hashes.note(batch);
      noted += batch.length;
      batch = [];
    }
    await hashes.note(batch);
    noted += batch.length;
    if (noted > 0) report(`${collection}: the hashes of ${noted} secrets are noted`);
  }
}
