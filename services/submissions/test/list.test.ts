import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { DEFAULTS } from '@recording-request/contract/limits';
import { presentSubmission } from '@recording-request/contract/present';
import type { ExportDocumentJson } from '@recording-request/contract/resources/export-document';
import { MESSAGE_BYTES } from '@recording-request/kit/grpc-server';
import { createLogger } from '@recording-request/kit/log';
import { seekableCipher } from '@recording-request/kit/seekable-cipher';
import { ExportFormat, OpenArchiveRequest } from '@recording-request/proto/exports/v1/exports';
import { Link, LinkStatus, type ListLinksRequest } from '@recording-request/proto/projects/v1/projects';
import {
  ListSubmissionsRequest,
  ListSubmissionsResponse,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import { testEnvironment } from '@recording-request/testing/environment';
import { projectSettings } from '@recording-request/testing/project-settings';
import { testStores } from '@recording-request/testing/test-stores';
import type { StoredPiece } from '../src/domain/archive.ts';
import { createConcurrencyLimiter } from '../src/domain/concurrency-limiter.ts';
import { migrate } from '../src/migrate.ts';
import { exportProject } from '../src/rpc/export.ts';
import { type ListContext, listSubmissions } from '../src/rpc/list-submissions.ts';
import { createArchiveStore } from '../src/store/archives.ts';
import { createBackupHold } from '../src/store/backup-hold.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { createExportRows } from '../src/store/export-rows.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { createNoteStore } from '../src/store/notes.ts';
import { createSubmissionStore, type SubmissionStore } from '../src/store/submissions.ts';
import { createUploadStore } from '../src/store/uploads.ts';
import { createArchiveBuilds } from '../src/workflows/archive-builds.ts';
import { endArchives, removeArchives } from '../src/workflows/end-archives.ts';
import { createKeptPages } from '../src/workflows/kept-pages.ts';
import { locateArchive, reportArchive } from '../src/workflows/locate-archive.ts';
import { openArchive } from '../src/workflows/open-archive.ts';
import { recordMedia } from '../src/workflows/record-media.ts';

const OWNER = randomUUID();
const PROJECT = randomUUID();

const environment = testEnvironment();
const stores = testStores(environment);
const listing = (submissions: ListContext['submissions'], limits: Parameters<typeof createConcurrencyLimiter>[0]) =>
  listSubmissions({ submissions, searches: createConcurrencyLimiter(limits), pages: createKeptPages(1_000_000) });
let models: Models;
let store: SubmissionStore;

const rowId = (index: number) => `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const row = (index: number, fields: object = {}) => ({
  _id: rowId(index),
  projectId: PROJECT,
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

before(async () => {
  await migrate(environment.env, () => {});
  models = openModels(await stores.database('submissions'));
  store = createSubmissionStore(models);
  const rows = [
    row(1, { transcriptText: 'Grüße aus dem Café, 3+4 is 7.', video: { size: 100 }, source: { size: 7 } }),
    row(2, { note: 'a [b] (c) \\d $where', source: { size: 20 }, selected: true }),
    row(3, { reviewNote: 'front page', questionText: 'What is new?', video: { size: 3 } }),
    row(4, { transcriptText: 'front page', projectId: randomUUID() }),
    row(5, { transcriptText: 'front page', ownerId: randomUUID() }),
    // Enough for the planner to care.
    ...Array.from({ length: 300 }, (_, index) => row(100 + index, { linkId: `other ${index}` })),
  ];
  await models.submissions.collection.insertMany(rows as never);
});
after(() => stores[Symbol.asyncDispose]());

const found = async (...words: string[]): Promise<number[]> =>
  (await store.page(OWNER, PROJECT, { words }, 10)).submissions.map(({ id }) => Number(id.slice(-12)));

test('every word is found as it is written, in any letter case, in what was said, noted or asked', async () => {
  assert.deepEqual(await found('GRÜSSE'), [], 'letters are folded, not spelled in another way');
  assert.deepEqual(await found('GRÜß', 'café'), [1]);
  assert.deepEqual(await found('3+4'), [1]);
  assert.deepEqual(await found('[b]', '(C)', '\\d', '$WHERE'), [2]);
  assert.deepEqual(await found('page', 'new?'), [3], 'each word may stand in another text');
  for (const pattern of ['.*', '^f', 'e$', '[a-z]', 'fr.nt', '\\w', '(', 'x|front']) {
    assert.deepEqual(await found(pattern), pattern === '(' ? [2] : [], pattern);
  }
  assert.deepEqual(await found('front'), [3], 'of this owner and this project alone');
});

test('searches beyond the limit of a project or of the process are refused, to be tried again', async () => {
  const ends: (() => void)[] = [];
  const none = { submissions: [], more: false };
  const slow = {
    stampOf: async () => undefined,
    page: () => new Promise<typeof none>(resolve => ends.push(() => resolve(none))),
  };
  const list = listing(slow, { all: 3, perKey: 2 });
  const ask = (projectId: string, search: string) =>
    list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, search, pageSize: 10 }));
  const refused = (projectId: string) =>
    assert.rejects(ask(projectId, 'word'), { code: 'unavailable', retryAfterSec: 2, message: /Too many searches/ });
  const going = [ask('a', 'word'), ask('a', 'word')];
  await refused('a');
  going.push(ask('b', 'word'));
  await refused('b');
  going.push(ask('a', ' '));
  assert.equal(ends.length, 4, 'a list without words is no search');
  for (const end of ends.splice(0)) end();
  await Promise.all(going);
  const again = [ask('a', 'word'), ask('a', 'word'), ask('b', 'word')];
  for (const end of ends) end();
  await Promise.all(again);
});

test('the sizes are those that a download has, and are read from an index alone', async () => {
  assert.deepEqual(await store.measure(OWNER, PROJECT), { bytes: 123, selectedBytes: 20 });
  const aggregate = models.submissions.aggregate([
    { $match: { projectId: PROJECT, ownerId: OWNER } },
    { $project: { _id: 0, selected: 1, 'video.size': 1, 'source.size': 1 } },
    { $group: { _id: null, bytes: { $sum: '$video.size' } } },
  ]);
  const explained = JSON.stringify(await aggregate.explain('executionStats'));
  assert.match(explained, /"indexName":"video_sizes"/);
  assert.match(explained, /"totalDocsExamined":0/);
});

test('a process whose clock is days off erases, purges and forgets nothing before its time', async t => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const [erasures, uploads, notes] = [createErasureStore(models), createUploadStore(models), createNoteStore(models)];
  const projectId = randomUUID();
  const startedAt = Date.now();
  const young = row(9_000, { projectId, createdAt: new Date(startedAt - hourMs) });
  await models.submissions.collection.insertMany([young, row(9_001, { projectId })] as never);
  const upload = { _id: randomUUID(), projectId, linkId: 'link', responseId: 'ended', state: 'deleted' };
  await models.uploads.collection.insertOne({ ...upload, lastByteAt: new Date(startedAt) } as never);
  await erasures.closeProject(projectId, hourMs);
  assert.ok(await erasures.bury({ id: row(9_001)._id, projectId }, hourMs));
  t.mock.timers.enable({ apis: ['Date'], now: startedAt + 60 * dayMs });
  assert.deepEqual(await erasures.olderThan(dayMs, 10), [], 'no clip is past its age');
  assert.equal(await erasures.takeDue(hourMs), undefined, 'no tombstone is due');
  assert.equal(await erasures.takeDueProject(hourMs), undefined, 'no project is due');
  assert.deepEqual(await uploads.idle('deleted', dayMs, 10), [], 'no upload is forgotten');
  t.mock.timers.setTime(startedAt - 60 * dayMs);
  const key = { projectId, linkId: 'link', responseId: 'late', questionIndex: 0 };
  assert.ok(await notes.set(key, 'a note'));
  await erasures.emptyUploads({ projectId }, 10);
  await erasures.closeProject(`${projectId} too`, hourMs);
  t.mock.timers.reset();
  const times = [
    (await models.notes.findOne({ projectId }))?.at,
    (await models.uploads.findOne({ projectId }))?.lastByteAt,
    (await erasures.findProject(`${projectId} too`))?.at,
  ];
  for (const time of times) assert.ok(time!.getTime() > startedAt - hourMs, `the database's time, not ${time}`);
});

test('a list of very long transcripts is walked page by page, each in a message that services accept', async () => {
  const projectId = randomUUID();
  // In JSON this letter takes six bytes.
  const transcriptText = '\u0001'.repeat(900_000);
  const rows = Array.from({ length: 40 }, (_, index) =>
    row(10_000 + index, { projectId, transcriptText, thumbnails: [], createdAt: new Date(0) }),
  );
  await models.submissions.collection.insertMany(rows as never);
  const list = listing(store, { all: 1, perKey: 1 });
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 100, cursor }));
    const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
    const asJson = await list(
      ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 100, cursor, presentation }),
    );
    for (const form of [page, asJson]) {
      const { length } = ListSubmissionsResponse.encode(form).finish();
      assert.ok(length < MESSAGE_BYTES, `a page fits in a message: it has ${length} of ${MESSAGE_BYTES} bytes`);
    }
    assert.notEqual(page.submissions.length, 0, 'every page goes on');
    seen.push(...page.submissions.map(({ submissionId }) => submissionId));
    cursor = page.nextCursor;
  } while (cursor !== '');
  assert.deepEqual(seen, rows.map(({ _id }) => _id).reverse(), 'each clip once, newest first');
});

test('a page is made as the JSON of the contract where its reader asks for that; an empty one is not', async () => {
  const projectId = randomUUID();
  const rows = Array.from({ length: 3 }, (_, index) =>
    row(70_000 + index, {
      projectId,
      transcriptText: `“${index}” \u2028 \0`,
      thumbnails: [],
      createdAt: new Date(index),
    }),
  );
  await models.submissions.collection.insertMany(rows as never);
  const list = listing(store, { all: 1, perKey: 1 });
  const ask = (more: object) =>
    list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 2, ...more }));
  const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
  const messages = await ask({});
  const made = await ask({ presentation });
  assert.deepEqual(made.submissions, []);
  assert.equal(made.nextCursor, messages.nextCursor);
  const submissions = messages.submissions.map(each => presentSubmission(each, presentation));
  const shown = { projectId, submissions, pagination: { nextCursor: messages.nextCursor } };
  assert.equal(made.pageJson!.toString(), JSON.stringify(shown));
  const none = await ask({ presentation, filter: { selected: true } });
  assert.deepEqual(none, { submissions: [], nextCursor: '' });
});

const CLIPS = 120;
const VIDEO = Buffer.alloc(20_000, 'video');

/** The objects of a store in memory; those in `broken` are not returned. */
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

/** A project of its own with clips, their ids from `first` on, and exports of it. */
async function clipsOf(first: number, filter?: { selected: boolean }, clips = CLIPS) {
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
    exports: createConcurrencyLimiter({ all: 1, perKey: 1 }),
    projects: { getProject: async () => ({ project }), listLinks: async () => ({ uniqueLinks: [] }) },
    archives,
    archiveBuilds: createArchiveBuilds(1),
    log: createLogger('test', 'silent'),
    submissions: store,
    backupHold: createBackupHold(models),
    exportObjects: objects,
    objects,
  };
  const { signal } = new AbortController();
  const open = (how: { etag?: string; resume?: boolean; includeLinks?: boolean } = {}) => {
    const request = OpenArchiveRequest.fromPartial({ ownerId: OWNER, projectId, filter: filter as never, ...how });
    return openArchive(context as never, request, signal);
  };
  const locate = (id: string, offset: number, count = 32) =>
    locateArchive(context as never, { ownerId: OWNER, projectId, id }, offset, count);
  const report = (id: string, offset: number) =>
    reportArchive(context as never, { ownerId: OWNER, projectId, id }, offset, signal);
  const storedBytes = ({ key, offset, length, cipherKey }: StoredPiece): Buffer => {
    const bytes = stored.get(key)!.subarray(offset, offset + length);
    return cipherKey ? seekableCipher(Buffer.from(cipherKey, 'base64url'), offset)(bytes) : bytes;
  };
  /** Reads an archive as a gateway does, from `offset` to `end`. */
  const bytesOf = async ({ id, size }: { id: string; size: number }, offset = 0, end = size): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for (let at = offset; at < end; )
      for (const piece of await locate(id, at)) {
        const bytes = 'content' in piece ? piece.content : storedBytes(piece);
        chunks.push(bytes);
        at += bytes.length;
      }
    return Buffer.concat(chunks).subarray(0, end - offset);
  };
  /** Reads an export; after its first chunks, or after `chunks` of them, something happens. */
  const read = async (meanwhile: () => unknown = () => {}, other: object = {}, chunks = 2) => {
    const request = { ownerId: OWNER, projectId, format: 3, includeLinks: false, filter, ...other };
    const pieces: Uint8Array[] = [];
    for await (const { chunk } of exportProject(context as never)(request as never, { signal } as never)) {
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
      csv: ids(/\n([0-9a-f-]{36}),/g),
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

const whole = (clips: number[]) => ({
  ...{ videos: clips, json: clips, csv: clips, texts: clips },
  ...{ missing: undefined, total: CLIPS },
});
const all = Array.from({ length: CLIPS }, (_, index) => index);

test('a ZIP shows in all its parts the clips that were there when it began, while others land and filters change', async () => {
  const { clip, insert, read } = await clipsOf(1_000);
  const seen = await read(() => insert([clip(CLIPS, { responseId: 'late' }), clip(CLIPS + 1)]));
  assert.deepEqual(seen, whole(all));
  const picked = await clipsOf(2_000, { selected: false });
  assert.deepEqual(await picked.read(() => picked.change(100, { $set: { selected: true } })), whole(all));
  assert.deepEqual(
    (await picked.read()).videos,
    all.filter(index => index !== 100),
  );
});

const TEXTS = [
  ['export.json', ExportFormat.EXPORT_FORMAT_JSON, 'json'],
  ['submissions.csv', ExportFormat.EXPORT_FORMAT_CSV, 'csv'],
  ['transcripts.txt', ExportFormat.EXPORT_FORMAT_TRANSCRIPTS, 'texts'],
] as const;

test('texts show the clips that were there when they were opened, each once, and break off where one is erased', async () => {
  for (const [at, [name, format, part]] of TEXTS.entries()) {
    const { clip, insert, read, change, erase } = await clipsOf(30_000 + 1_000 * at, undefined, CLIPS);
    // Long enough for several pieces.
    const long = { $set: { transcriptText: 'word '.repeat(3_000) } };
    for (const index of all) await change(index, long);
    const once = (await read(undefined, { format }))[part];
    assert.deepEqual(once, all, name);
    const meanwhile = await read(() => insert([clip(CLIPS, { responseId: 'late' })]), { format });
    assert.deepEqual(meanwhile[part], all, `${name} while another lands`);
    // By then all of its clips are listed.
    await assert.rejects(
      read(() => erase(CLIPS - 1), { format }, 10),
      { code: 'unavailable', retryAfterSec: 1 },
      `${name} while one is erased`,
    );
    assert.equal((await read(undefined, { format }))[part].length, CLIPS);
  }
});

test('what lands once the first bytes of an export are sent is not in it, nor in its figures', async () => {
  const { clip, insert, context, projectId } = await clipsOf(35_000);
  const request = { ownerId: OWNER, projectId, format: ExportFormat.EXPORT_FORMAT_JSON, includeLinks: false };
  const pieces = exportProject(context as never)(request as never, { signal: new AbortController().signal } as never);
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of pieces) {
    if (chunks.length === 0) await insert([clip(CLIPS, { responseId: 'late' }), clip(CLIPS + 1)]);
    chunks.push(chunk);
  }
  const document = JSON.parse(Buffer.concat(chunks).toString());
  assert.deepEqual(
    document.submissions.map((each: { submissionId: string }) => each.submissionId),
    all.map(index => clip(index)._id),
  );
  assert.equal(document.project.stats.videosCreated, CLIPS);
});

test('export.json has every link, of which it asks for some at a time', async () => {
  const { context, projectId } = await clipsOf(35_500);
  const link = (linkId: string) =>
    Link.fromPartial({ linkId, status: LinkStatus.LINK_STATUS_ACTIVE, createdAt: new Date(0) });
  const pages: Record<string, object> = {
    '': { uniqueLinks: [link('1'), link('2')], nextCursor: 'second' },
    second: { uniqueLinks: [link('3')], nextCursor: 'last' },
    last: { uniqueLinks: [] },
  };
  const listLinks = async ({ pageSize, cursor = '' }: ListLinksRequest) =>
    pageSize === DEFAULTS.linkPageSize && pages[cursor];
  const request = { ownerId: OWNER, projectId, format: ExportFormat.EXPORT_FORMAT_JSON, includeLinks: true };
  const projects = { ...context.projects, listLinks };
  const call = { signal: new AbortController().signal } as never;
  const pieces = await Array.fromAsync(exportProject({ ...context, projects } as never)(request as never, call));
  const document: ExportDocumentJson = JSON.parse(Buffer.concat(pieces.map(({ chunk }) => chunk)).toString());
  assert.deepEqual(
    document.links?.recipientUrls.map(({ tokenId }) => tokenId),
    ['1', '2', '3'],
  );
  assert.equal(document.submissions.length, CLIPS);
});

test('export.json has each text of terms once, in the order in which they were accepted first', async () => {
  const { change, erase, projectId, context, read } = await clipsOf(36_000);
  const accept = (index: number, sha256: string) =>
    change(index, { $set: { terms: { sha256, text: `text of ${sha256}`, acceptedAt: new Date(index) } } });
  for (const [index, sha256] of [
    [3, 'cc'],
    [4, 'aa'],
    [5, 'cc'],
    [90, 'bb'],
    [100, 'aa'],
  ] as const)
    await accept(index, sha256);
  const terms = () => context.exportRows.terms(OWNER, projectId);
  assert.deepEqual(Object.entries(await terms()), [
    ['cc', 'text of cc'],
    ['aa', 'text of aa'],
    ['bb', 'text of bb'],
  ]);
  await erase(3);
  await erase(90);
  assert.deepEqual(Object.keys(await terms()), ['aa', 'cc']);
  assert.deepEqual(await context.exportRows.terms(randomUUID(), projectId), {}, 'of this owner alone');
  const { json } = await read(undefined, { format: ExportFormat.EXPORT_FORMAT_JSON });
  assert.equal(json.length, CLIPS - 2);
});

test('an export whose first clips cannot be read fails before anything is sent', async () => {
  const { context, projectId } = await clipsOf(37_000);
  Object.assign(context.exportRows, { read: async () => Promise.reject(new Error('away')) });
  for (const [name, format] of TEXTS) {
    const request = { ownerId: OWNER, projectId, format, includeLinks: false };
    const pieces = exportProject(context as never)(request as never, { signal: new AbortController().signal } as never);
    await assert.rejects(pieces[Symbol.asyncIterator]().next(), /away/, name);
  }
});

test('a clip that is erased while a ZIP is read, before or after its turn, breaks it off; the next goes without it', async () => {
  for (const [at, index] of [0, CLIPS - 1].entries()) {
    const { read, erase } = await clipsOf(3_000 + 1_000 * at);
    await assert.rejects(
      read(() => erase(index)),
      { code: 'gone', message: /ask for the export again/ },
    );
    const rest = all.filter(each => each !== index);
    assert.deepEqual(await read(), { ...whole(rest), total: CLIPS - 1 });
  }
});

test('a clip that cannot be read breaks a ZIP off once; it is named in the next, and back when it can be read', async () => {
  const { read, broken, clip } = await clipsOf(6_000);
  broken.add(clip(70).key);
  await assert.rejects(read(), /ask for the export again, which then goes without it/);
  const rest = all.filter(each => each !== 70);
  for (let again = 0; again < 2; again++) assert.deepEqual(await read(), { ...whole(rest), missing: [70] });
  broken.clear();
  assert.deepEqual(await read(), whole(all));
});

test('every clip that could not be read is looked at again, and an outage meanwhile names none of them', async () => {
  const { read, broken, objects, clip, change } = await clipsOf(7_000);
  const doubt = () =>
    Promise.all(all.map(index => change(index, { $set: { unreadable: { key: clip(index).key, offset: 0 } } })));
  await doubt();
  const away = async () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  const well = { ...objects };
  Object.assign(objects, { get: away, stat: away });
  await assert.rejects(read(), { code: 'ECONNREFUSED' }, 'an outage is not told as missing clips');
  let resets = 0;
  const get: typeof objects.get = (key, options) => (resets++ < 3 ? away() : well.get(key, options));
  Object.assign(objects, well, { get });
  broken.add(clip(100).key);
  const rest = all.filter(index => index !== 100);
  assert.deepEqual(await read(), { ...whole(rest), missing: [100] }, 'the rest is back, after an outage too');
  broken.clear();
  const stuck = clip(90).key;
  Object.assign(objects, { get: (key: string, options = {}) => (key === stuck ? away() : well.get(key, options)) });
  await doubt();
  assert.deepEqual((await read()).missing, [90], 'what alone cannot be read is named');
});

test('an archive cut at 50 places while clips land goes on to the same bytes, without a video being read for its plan', async () => {
  const { open, bytesOf, clip, insert, change, reads, stored, projectId } = await clipsOf(20_000, undefined, 30);
  const begun = await open();
  assert.equal(reads(), 0, 'its length and checksums are known');
  assert.match(begun.etag, /^"[\w-]{43}"$/);
  const kept = stored.get(`exports/${projectId}/${begun.id}/parts`)!;
  assert.ok(!kept.includes('submissionId'), 'what is kept of the texts cannot be read in the store');
  const bytes = await bytesOf(begun);
  assert.equal(bytes.length, begun.size);
  for (let cut = 0; cut < 50; cut++) {
    await insert([clip(100 + cut, { responseId: `late ${cut}` })]);
    if (cut === 25) await change(3, { $set: { reviewNote: 'changed meanwhile' } });
    const offset = Math.floor(Math.random() * begun.size);
    const again = await open(cut % 2 === 0 ? { etag: begun.etag } : { resume: true });
    assert.equal(again.etag, begun.etag);
    assert.ok((await bytesOf(again, offset)).equals(bytes.subarray(offset)), `from byte ${offset}`);
  }
  const now = await open();
  assert.notEqual(now.etag, begun.etag, 'who begins now gets what has landed');
  assert.equal((await open({ resume: true })).etag, now.etag, 'without a name, the last one goes on');
  assert.equal((await open({ etag: begun.etag })).etag, begun.etag);
});

test('the same content is the same archive; another filter, or links, are others', async () => {
  const { open, bytesOf, projectId } = await clipsOf(21_000, undefined, 3);
  const first = await open();
  const bytes = await bytesOf(first);
  assert.equal((await open()).id, first.id, 'it is not made twice');
  await models.archives.updateMany({ projectId }, { $set: { expiresAt: new Date(0) } });
  const again = await open({ etag: first.etag });
  assert.notEqual(again.id, first.id);
  assert.equal(again.etag, first.etag, 'a download goes on also where its plan has expired');
  assert.ok((await bytesOf(again)).equals(bytes));
  const withLinks = await open({ includeLinks: true, etag: first.etag });
  assert.notEqual(withLinks.etag, first.etag, 'nobody gets by its name what they may not see');
});

test('an archive of what has not changed for long is found without a look at the rows', async () => {
  const { open, change, context, erase } = await clipsOf(27_000, undefined, 5);
  const first = await open();
  const looks = { plan: 0 };
  const { plan } = context.exportRows;
  context.exportRows.plan = (...of) => {
    looks.plan += 1;
    return plan(...of);
  };
  assert.equal((await open()).id, first.id);
  assert.equal(looks.plan, 0);
  await change(2, { $set: { reviewNote: 'now' } });
  const second = await open();
  assert.notEqual(second.etag, first.etag, 'a change is seen at once');
  await change(2, { $set: { reviewNote: 'in the same millisecond' }, $currentDate: {} });
  assert.notEqual((await open()).etag, second.etag, 'so is one that came just after it');
  assert.equal(looks.plan, 2);
  await erase(1);
  await open();
  assert.equal(looks.plan, 3, 'an erasure, too');
});

test('an erasure ends an archive at once, whichever process it was in, and takes with it what was stored of it', async () => {
  const { open, locate, erase, bytesOf, stored, context, projectId } = await clipsOf(22_000, undefined, 30);
  const begun = await open();
  const middle = Math.floor(begun.size / 2);
  assert.notEqual((await locate(begun.id, middle)).length, 0);
  assert.ok(await erase(7));
  for (const offset of [0, middle, begun.size - 1])
    await assert.rejects(locate(begun.id, offset), { code: 'gone' }, `from byte ${offset}`);
  await assert.rejects(locate(begun.id, 0, 0), { code: 'gone' }, 'a download that runs is told, too');
  const next = await open({ etag: begun.etag });
  assert.notEqual(next.etag, begun.etag, 'If-Range gets the whole');
  assert.ok(!(await bytesOf(next)).includes(rowId(22_007)), 'without the clip');
  const parts = () => [...stored.keys()].filter(key => key.startsWith(`exports/${projectId}/`));
  assert.equal(parts().length, 2);
  await endArchives(context as never, projectId);
  assert.deepEqual(parts(), []);
  assert.equal(await models.archives.countDocuments({ projectId, endedAt: null }), 0);
});

test('a clip that is erased while an archive is made is not in any', async () => {
  const { open, erase, context, archives } = await clipsOf(23_000, undefined, 30);
  Object.assign(context, {
    archives: {
      ...archives,
      ready: async (...made: Parameters<typeof archives.ready>) => {
        await erase(3);
        return archives.ready(...made);
      },
    },
  });
  await assert.rejects(open(), { code: 'unavailable', message: /was erased while it was exported/ });
  Object.assign(context, { archives });
  const next = await open({ resume: true });
  assert.equal(next.texts.length, 3);
});

test('what cannot be read ends its archive, and the next goes without it; what can be read ends none', async () => {
  const { open, locate, report, broken, clip, bytesOf } = await clipsOf(24_000, undefined, 5);
  const begun = await open();
  const offset = (await bytesOf(begun)).indexOf(VIDEO) + 5;
  await report(begun.id, offset);
  await report(begun.id, 0);
  assert.notEqual((await locate(begun.id, offset)).length, 0, 'it could be read after all');
  broken.add(clip(0).key);
  await report(begun.id, offset);
  await assert.rejects(locate(begun.id, offset), { code: 'gone' });
  const next = await open({ etag: begun.etag });
  assert.deepEqual(
    next.texts.map(({ name }) => name),
    ['project.json', 'submissions.csv', 'transcripts.txt', 'missing.txt'],
  );
});

test('a clip from before checksums were kept is read once, and never again', async () => {
  const { open, change, projectId, clip, reads } = await clipsOf(25_000, undefined, 3);
  const before = await open();
  await change(1, { $unset: { 'video.crc32': 1 } });
  const after = await open();
  assert.deepEqual([after.size, reads()], [before.size, 1]);
  const row = await models.submissions.findOne({ _id: clip(1)._id, projectId }).lean();
  assert.equal(row?.video?.crc32, crc32(VIDEO));
  await change(2, { $set: { reviewNote: 'another state' } });
  await open();
  assert.equal(reads(), 1);
});

test('the upload that an archive shows is kept until nobody can read that any more', async () => {
  const { open, bytesOf, insert, clip, context, projectId, stored } = await clipsOf(26_000, undefined, 2);
  const key = `${projectId}/source`;
  const source = { key, size: VIDEO.length, mimeType: 'video/webm', sha256: '00', crc32: crc32(VIDEO) };
  const { _id, ...fields } = clip(5, { video: undefined, source, mediaStatus: 'processing', responseId: 'young' });
  stored.set(key, VIDEO);
  await insert([{ ...fields, _id, video: null }]);
  const begun = await open();
  const media = { video: { ...source, key: `${projectId}/5` }, audio: undefined, thumbnails: [], durationSec: 1 };
  const recording = { ...context, jobs: { now: async () => new Date() }, erasures: createErasureStore(models) };
  await recordMedia(recording as never, { projectId, submissionId: _id }, { ...media, hasSound: false });
  assert.ok(stored.has(key), 'a download that began with the upload goes on');
  assert.equal((await bytesOf(begun)).length, begun.size);
  assert.notEqual((await open()).etag, begun.etag, 'the next one has the video');
  await models.archives.updateMany({ projectId }, { $set: { expiresAt: new Date(0) } });
  await models.submissions.updateOne({ _id, projectId }, { $set: { sourceHeldUntil: new Date(0) } });
  await removeArchives(context as never);
  const row = await models.submissions.findOne({ _id, projectId }).lean();
  assert.deepEqual([stored.has(key), row?.source ?? undefined], [false, undefined]);
  assert.deepEqual(await models.archives.countDocuments({ projectId }), 0);
  assert.deepEqual(
    [...stored.keys()].filter(each => each.startsWith('exports/')),
    [],
  );
});

test('the last byte of an archive costs as little with many clips as with few, and a project keeps few archives', async () => {
  const many = await clipsOf(50_000, undefined, 450);
  const { archiveId, size } = await many.open().then(({ id, size }) => ({ archiveId: id, size }));
  const page = await models.archivePages
    .find({ archiveId, offset: { $lte: size - 100_000 } })
    .sort({ offset: -1 })
    .limit(1)
    .explain('executionStats');
  assert.match(JSON.stringify(page), /"totalDocsExamined":1[,}]/);
  const { projectId } = many;
  for (let state = 0; state < 12; state++) {
    await many.change(state, { $set: { reviewNote: `${state}` } });
    await many.open();
  }
  assert.equal(await models.archives.countDocuments({ projectId, endedAt: null }), 10);
});

const STATES: [state: string, filter: TranscriptStatus][] = [
  ['pending', TranscriptStatus.TRANSCRIPT_STATUS_PENDING],
  ['processing', TranscriptStatus.TRANSCRIPT_STATUS_PROCESSING],
  ['completed', TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED],
  ['failed', TranscriptStatus.TRANSCRIPT_STATUS_FAILED],
  ['disabled', TranscriptStatus.TRANSCRIPT_STATUS_DISABLED],
];

test('a state of the transcript narrows the list, the ZIP and the texts to the same clips', async () => {
  const { projectId, read, clip } = await clipsOf(8_000);
  const states = [...STATES.map(([state]) => state), 'none'];
  for (const [at, transcriptStatus] of states.entries()) {
    const _id = { $in: all.filter(index => index % states.length === at).map(index => clip(index)._id) };
    await models.submissions.updateMany({ _id, projectId }, { $set: { transcriptStatus } });
  }
  const list = listing(store, { all: 1, perKey: 1 });
  const request = { ownerId: OWNER, projectId, pageSize: 100 };
  for (const [at, [state, transcriptStatus]] of STATES.entries()) {
    const filter = { transcriptStatus };
    const want = all.filter(index => index % states.length === at);
    const page = await list(ListSubmissionsRequest.fromPartial({ ...request, filter }));
    const listed = page.submissions.map(({ submissionId }) => Number(submissionId.slice(-12)) - 8_000);
    assert.deepEqual(listed.toReversed(), want, `the list of ${state}`);
    const { videos, json, csv, texts } = await read(undefined, { filter });
    assert.deepEqual({ videos, json, csv, texts }, { videos: want, json: want, csv: want, texts: want }, state);
    const alone = await read(undefined, { filter, format: ExportFormat.EXPORT_FORMAT_TRANSCRIPTS });
    assert.deepEqual(alone.texts, want, `transcripts.txt of ${state}`);
  }
});
