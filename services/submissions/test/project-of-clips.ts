import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { crc32 } from 'node:zlib';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { createLogger } from '@recording-request/kit/log';
import { seekableCipher } from '@recording-request/kit/seekable-cipher';
import { OpenArchiveRequest } from '@recording-request/proto/exports/v1/exports';
import { testEnvironment } from '@recording-request/testing/environment';
import { projectSettings } from '@recording-request/testing/project-settings';
import { testStores } from '@recording-request/testing/test-stores';
import type { StoredPiece } from '../src/domain/exports/archive.ts';
import { createArchiveBuilds } from '../src/memory/archive-builds.ts';
import { migrate } from '../src/migrate.ts';
import { exportProject } from '../src/rpc/exports/export.ts';
import { createArchiveStore } from '../src/store/archives.ts';
import { createBackupHold } from '../src/store/backup-hold.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { createExportRows } from '../src/store/export-rows.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { locateArchive, reportArchive } from '../src/workflows/exports/locate-archive.ts';
import { openArchive } from '../src/workflows/exports/open-archive.ts';

export const OWNER = randomUUID();

export const rowId = (index: number): string => `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** Returns a stored submission of `OWNER` with transcript and media. */
export const row = (index: number, { projectId, ...fields }: { projectId: string; [field: string]: unknown }) => ({
  _id: rowId(index),
  projectId,
  ownerId: OWNER,
  linkId: 'link',
  responseId: `response ${index}`,
  questionIndex: 0,
  selected: false,
  transcriptStatus: 'completed',
  mediaStatus: 'ready',
  revision: 1,
  outbox: [],
  ...fields,
});

/** The default number of clips in a project, and the indexes of these clips. */
export const CLIPS = 120;
export const all: readonly number[] = Array.from({ length: CLIPS }, (_, index) => index);
export const VIDEO = Buffer.alloc(20_000, 'video');

/** Returns the content of an export with exactly these clips. */
export const whole = (clips: readonly number[]) => ({
  ...{ videos: clips, json: clips, csv: clips, texts: clips },
  ...{ missing: undefined, total: CLIPS },
});

/** Returns an object store in memory. It fails to read the objects in `broken`. */
function objectsInMemory() {
  const stored = new Map<string, Buffer>();
  const broken = new Set<string>();
  let reads = 0;
  const objects = {
    get: async (key: string, { offset = 0, length }: { offset?: number; length?: number } = {}): Promise<Readable> => {
      reads += 1;
      const bytes = stored.get(key);
      if (broken.has(key) || !bytes)
        throw Object.assign(new Error('The specified key does not exist.'), { code: 'NoSuchKey' });
      return Readable.from([bytes.subarray(offset, length === undefined ? undefined : offset + length)]);
    },
    stat: async () => undefined,
    put: async (key: string, body: Readable) => void stored.set(key, Buffer.concat(await body.toArray())),
    remove: async (keys: string[]) => {
      for (const key of keys) stored.delete(key);
    },
    purge: async (prefix: string) => {
      for (const key of stored.keys()) if (key.startsWith(prefix)) stored.delete(key);
    },
  };
  return { stored, broken, objects, reads: () => reads };
}

type OpenOptions = Partial<
  Pick<OpenArchiveRequest, 'etag' | 'resume' | 'includeLinks' | 'withoutPeople' | 'referenceNames'>
> & {
  filter?: object;
};

/** Opens databases for one test file before its tests, and closes them after its tests. */
export function openProjectsOfClips() {
  const environment = testEnvironment();
  const stores = testStores(environment);
  let models: Models;
  before(async () => {
    await migrate(environment.env, () => {});
    models = openModels(await stores.database('submissions'));
  });
  after(() => stores[Symbol.asyncDispose]());
  return {
    models: () => models,
    clipsOf: (...of: Clips) => projectOfClips(models, ...of),
  };
}

/** The index of the first clip's id, the filter of exports, and the number of clips. */
type Clips = [first: number, filter?: { selected: boolean }, clips?: number];

/** Returns a new project of clips, whose ids start at `first`, and functions to export it. */
async function projectOfClips(models: Models, ...[first, filter, clips = CLIPS]: Clips) {
  const projectId = randomUUID();
  const { stored, broken, objects, reads } = objectsInMemory();
  const clip = (index: number, fields: object = {}) => {
    const key = `${projectId}/${index}`;
    stored.set(key, VIDEO);
    const video = { key, size: VIDEO.length, mimeType: 'video/webm', sha256: '00', crc32: crc32(VIDEO) };
    const at = { createdAt: new Date(index), changedAt: new Date(1_000 + index) };
    return { ...row(first + index, { projectId, video, thumbnails: [], ...at, ...fields }), key };
  };
  const insert = (rows: object[]) => models.submissions.collection.insertMany(rows as never);
  await insert(Array.from({ length: clips }, (_, index) => clip(index)));
  const project = { projectId, createdAt: new Date(0), settings: projectSettings(), linkStats: {} };
  const archives = createArchiveStore(models);
  const context = {
    config: { publicBaseUrl: 'http://owner.test', exportResumeSeconds: 3_600 },
    exportRows: createExportRows(models),
    exports: createFairSlots(1),
    projects: { getProject: async () => ({ project }), listLinks: async () => ({ uniqueLinks: [] }) },
    archives,
    archiveBuilds: createArchiveBuilds(1),
    log: createLogger('test', 'silent'),
    submissions: createSubmissionStore(models),
    backupHold: createBackupHold(models),
    exportObjects: objects,
    objects,
  };
  const { signal } = new AbortController();
  const open = (how: OpenOptions = {}) => {
    const request = OpenArchiveRequest.fromPartial({ ownerId: OWNER, projectId, filter: filter as never, ...how });
    return openArchive(context as never, request, signal);
  };
  const locate = (id: string, offset: number, count = 32) =>
    locateArchive(context as never, { ownerId: OWNER, projectId, id }, offset, count);
  const report = (id: string, offset: number) =>
    reportArchive(context as never, { ownerId: OWNER, projectId, id }, offset, signal);
  const storedBytes = async ({ key, offset, length, cipherKey }: StoredPiece): Promise<Buffer> => {
    const bytes = Buffer.concat(await (await objects.get(key, { offset, length })).toArray());
    return cipherKey ? seekableCipher(Buffer.from(cipherKey, 'base64url'), offset)(bytes) : bytes;
  };
  /** Reads an archive as a gateway does, and reports unreadable pieces. */
  async function* piecesOf({ id, size }: { id: string; size: number }, offset = 0, end = size): AsyncGenerator<Buffer> {
    for (let at = offset; at < end; )
      for (const piece of await locate(id, at)) {
        const bytes =
          'content' in piece ? piece.content : await storedBytes(piece).catch(error => failed(id, at, error));
        yield bytes;
        at += bytes.length;
      }
  }
  const failed = async (id: string, offset: number, error: unknown): Promise<never> => {
    await report(id, offset);
    throw error;
  };
  const bytesOf = async (archive: { id: string; size: number }, offset = 0, end = archive.size): Promise<Buffer> =>
    Buffer.concat(await Array.fromAsync(piecesOf(archive, offset, end))).subarray(0, end - offset);
  async function* chunksOf({
    format,
    ...request
  }: {
    format?: number;
    filter?: object | undefined;
  }): AsyncGenerator<Uint8Array> {
    if (format === undefined) return yield* piecesOf(await open(request));
    const exported = exportProject(context as never)(
      { ...request, ownerId: OWNER, projectId, format } as never,
      { signal } as never,
    );
    for await (const { chunk } of exported) yield chunk;
  }
  /** Reads an export, by default project.zip. Calls `meanwhile` after the first `chunks` chunks. */
  const read = async (meanwhile: () => unknown = () => {}, other: object = {}, chunks = 2) => {
    const pieces: Uint8Array[] = [];
    for await (const chunk of chunksOf({ filter, ...other })) {
      pieces.push(chunk);
      if (pieces.length === chunks) await meanwhile();
    }
    const zip = Buffer.concat(pieces).toString('latin1');
    const ids = (pattern: RegExp) => [
      ...new Set([...zip.matchAll(pattern)].map(([, id]) => Number(id!.slice(-12)) - first)),
    ];
    return {
      videos: ids(/videos\/\d{4}-([0-9a-f-]{36})\.webm/g),
      json: ids(/"submissionId":"([0-9a-f-]{36})"/g),
      csv: ids(/\n"?([0-9a-f-]{36})"?,/g),
      texts: ids(/Submission: ([0-9a-f-]{36})/g),
      missing: /in this archive.*?:\n\n([0-9a-f\n-]+)\n/s
        .exec(zip)?.[1]
        ?.split('\n')
        .map(id => Number(id.slice(-12)) - first),
      total: Number(/"videosCreated":(\d+)/.exec(zip)?.[1]),
    };
  };
  const change = (index: number, update: object) =>
    models.submissions.updateOne(
      { _id: clip(index)._id, projectId },
      { $inc: { revision: 1 }, $currentDate: { changedAt: true }, ...update },
    );
  const erase = (index: number) => createErasureStore(models).bury({ id: clip(index)._id, projectId }, 0);
  const exporting = { context, archives, open, locate, report, bytesOf, reads };
  return { projectId, clip, insert, stored, broken, objects, read, change, erase, ...exporting };
}
