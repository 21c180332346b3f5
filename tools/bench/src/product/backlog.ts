import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from '@recording-request/kit/ids';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { waitFor } from '@recording-request/stack/wait';
import type { Batch } from '../load/progress.ts';
import type { OwnProduct } from './own-product.ts';
import { openStores } from './stores.ts';

type Row = { _id: string } & Record<string, unknown>;

/** A clip's bytes as uploaded. */
interface StoredSource {
  key: string;
  uploadId: string;
  parts: { key: string; size: number }[];
}

/** Puts waiting work directly into the stores, because thousands of real uploads would take too long. */
export interface Backlog extends AsyncDisposable {
  /**
   * Returns the record of a project's first clip, between its landing and its media. Copies the clip's parts to
   * `source-0`, `source-1` …
   */
  keepLanded(projectId: string, source: string, signal: AbortSignal): Promise<Row>;
  /** Adds landed clips without media. */
  media(landed: Row, source: string, count: number): Promise<Batch>;
  /** Adds clips with sound but without a transcript. */
  transcripts(submissionId: string, count: number): Promise<Batch>;
  /** Resolves when an event of the project has been delivered. */
  firstDelivered(projectId: string, signal: AbortSignal): Promise<void>;
  /** Adds unsent events, copied from the first one of the project. */
  deliveries(projectId: string, count: number): Promise<Batch>;
  /**
   * Returns the number of repeated jobs: the finished jobs in the logs of a service's workers, minus the jobs of the
   * batch.
   */
  repeatedJobs(service: string, batch: Batch): Promise<number>;
}

const COPIES_AT_ONCE = 8;
const WAIT_MS = 60_000;
const JOB_ENDED = 'A job has ended';

export async function openBacklog(product: OwnProduct): Promise<Backlog> {
  const { serversEnv, databasePrefix, dataDir } = product;
  await using opening = new AsyncDisposableStack();
  const stores = opening.use(await openStores(product));
  const settings = { mongoUrl: serversEnv.MONGO_URL!, mongoDatabasePrefix: databasePrefix };
  const mongo = opening.adopt(await connectMongo(settings, 'submissions', 'bench'), each => each.close());
  const collection = (database: string, name: string) =>
    mongo.getClient().db(`${databasePrefix}${database}`).collection<Row>(name);
  const clips = collection('submissions', 'submissions');
  const deliveries = collection('webhooks', 'deliveries');
  const rowOf = async (id: string) => {
    const row = await clips.findOne({ _id: id });
    if (!row) throw new Error(`there is no clip ${id} in the database`);
    return row;
  };
  // Each batch has a separate link, which identifies the clips of the batch.
  const insertClips = async (rows: Row[], done: Record<string, string>): Promise<Batch> => {
    const linkId = randomUUID();
    await clips.insertMany(rows.map(row => ({ ...row, linkId, responseId: randomUUID(), revision: 1 })));
    const { projectId, ownerId } = rows[0]!;
    const query = { projectId, ownerId, linkId, ...done };
    return { ids: rows.map(({ _id }) => _id), done: () => clips.countDocuments(query) };
  };
  const parts = opening.move();
  return {
    async keepLanded(projectId, source, signal) {
      const landed = async () => (await clips.findOne({ projectId })) ?? undefined;
      const row = await waitFor('the landing of a clip', landed, { timeoutMs: WAIT_MS, intervalMs: 10, signal });
      const stored = row.source as StoredSource | undefined;
      if (!stored || !(row.job as { inspection?: unknown } | undefined)?.inspection)
        throw new Error('the media of a clip were ready before the copy');
      for (const [at, { key }] of stored.parts.entries()) await stores.copyObject(key, `${source}-${at}`);
      return row;
    },
    async media(landed, source, count) {
      const stored = landed.source as StoredSource;
      const { inspection } = landed.job as { inspection: unknown };
      const { outbox: _, ...rest } = landed;
      const rows = Array.from({ length: count }, () => {
        const uploadId = uuidv7();
        const own = (key: string) => key.replace(stored.uploadId, uploadId);
        const parts = stored.parts.map(({ key, size }) => ({ key: own(key), size }));
        const ownSource = { ...stored, key: own(stored.key), uploadId, parts };
        return { ...rest, _id: uuidv7(), source: ownSource, job: waiting('media', { inspection }) };
      });
      const open = rows.flatMap(row => row.source.parts.map(({ key }, at) => ({ from: `${source}-${at}`, key })));
      const lane = async () => {
        for (let next = open.pop(); next; next = open.pop()) await stores.copyObject(next.from, next.key);
      };
      await Promise.all(Array.from({ length: COPIES_AT_ONCE }, lane));
      return insertClips(rows, { mediaStatus: 'ready' });
    },
    async transcripts(submissionId, count) {
      const { outbox: _, ...row } = await rowOf(submissionId);
      const job = waiting('transcript');
      const pending = { transcriptStatus: 'pending', transcriptRequest: 1, job };
      const rows = Array.from({ length: count }, () => ({ ...row, ...pending, _id: uuidv7() }));
      return insertClips(rows, { transcriptStatus: 'completed' });
    },
    async firstDelivered(projectId, signal) {
      const delivered = async () => (await deliveries.findOne({ projectId, state: 'delivered' })) ?? undefined;
      await waitFor('the first event of a project', delivered, { timeoutMs: WAIT_MS, signal });
    },
    async deliveries(projectId, count) {
      const sent = (await deliveries.findOne({ projectId, state: 'delivered' }))!;
      const { deliveredAt: _, lease: __, ...rest } = sent;
      const now = new Date();
      const due = { state: 'pending', nextAt: now, createdAt: now, step: 0, attempts: [], attemptCount: 0 };
      const rows = Array.from({ length: count }, () => ({ ...rest, ...due, _id: uuidv7() }));
      await deliveries.insertMany(rows);
      const left = { projectId, state: 'pending' };
      return {
        ids: rows.map(({ _id }) => _id),
        done: async () => count - (await deliveries.countDocuments(left)),
      };
    },
    async repeatedJobs(service, { ids }) {
      const wanted = new Set(ids);
      const folder = join(dataDir, 'logs');
      const names = (await readdir(folder)).filter(name => name.startsWith(service));
      let lines = 0;
      const ended = new Set<string>();
      for (const name of names)
        for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
          if (!line.includes(JOB_ENDED)) continue;
          const { submissionId } = JSON.parse(line) as { submissionId: string };
          if (!wanted.has(submissionId)) continue;
          lines += 1;
          ended.add(submissionId);
        }
      return lines - ended.size;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function waiting(kind: 'media' | 'transcript', more: object = {}) {
  const now = new Date();
  return { kind, state: 'waiting', since: now, dueAt: now, attempts: 0, givenBack: 0, ...more };
}
