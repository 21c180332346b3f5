import { after, before } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { migrate } from '../src/migrate.ts';
import { openStores, type Stores } from '../src/store/store.ts';
import { landed } from './landed-submission.ts';

export const MINUTE_MS = 60_000;
export const OWNER = 'owner';
export const PROJECT = 'project';
export const LONG_AGO = new Date('2026-01-01T00:00:00Z');
export const at = (index: number) => new Date(LONG_AGO.getTime() + index * MINUTE_MS);
/** Returns an id as uuidv7() would return it at that time. */
export const idAt = (index: number) => {
  const hex = at(index).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(index).padStart(12, '0')}`;
};

/** Inserts `length` documents into a collection. Each document is made from its index. */
export type Into = (collection: string, length: number, of: (index: number) => object) => Promise<unknown>;

/**
 * Before a test file's tests, opens the stores of submissions on a separate database and fills them with `fill`; after
 * the tests, closes them.
 */
export function useStores(fill: (into: Into) => Promise<void> = async () => {}) {
  const environment = testEnvironment();
  const servers = testStores(environment);
  let connection: Connection;
  let stores: Stores;
  before(async () => {
    connection = await connectMongo(loadConfig(environment.env, mongoVariables), 'submissions');
    await migrate(environment.env, () => {});
    stores = await openStores(connection);
    await fill(into);
  });
  after(async () => {
    await connection.close();
    await servers[Symbol.asyncDispose]();
  });
  const into: Into = (collection, length, of) =>
    connection.db!.collection(collection).insertMany(Array.from({ length }, (_, index) => of(index)) as never);
  return {
    env: environment.env,
    servers,
    into,
    get connection() {
      return connection;
    },
    get stores() {
      return stores;
    },
  };
}

export function clip(index: number, fields: object = {}) {
  const { id: _, job: __, ...base } = landed();
  const isRare = index % 60 === 7;
  return {
    _id: idAt(index),
    ...base,
    ...{ projectId: PROJECT, ownerId: OWNER, createdAt: at(index), changedAt: at(index), revision: 1, outbox: [] },
    linkId: isRare ? 'rare link' : `link ${index % 20}`,
    responseId: isRare ? 'rare response' : `response ${index}`,
    questionIndex: isRare ? index : 0,
    selected: index % 60 === 8,
    transcriptStatus: index % 60 === 9 ? 'failed' : 'completed',
    mediaStatus: index % 60 === 10 ? 'failed' : 'ready',
    video: { key: `video ${index}`, size: 10, mimeType: 'video/webm', sha256: 'aa', crc32: 1 },
    transcriptText: 'word '.repeat(2_000),
    ...fields,
  };
}

export const upload = (index: number, fields: object = {}) => ({
  _id: `upload ${String(index).padStart(5, '0')}`,
  ...{ state: 'landed', linkId: `link ${index}`, projectId: PROJECT, ownerId: OWNER, responseId: `response ${index}` },
  ...{ questionIndex: 0, note: '', offset: 5, parts: [], createdAt: at(index), lastByteAt: at(index) },
  ...fields,
});

export const keyOf = ({ _id: id, projectId }: ReturnType<typeof upload>) => ({ id, projectId });
