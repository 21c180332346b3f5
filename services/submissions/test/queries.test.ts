import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { UNKNOWN_EVENT } from '@recording-request/events/event';
import { loadConfig } from '@recording-request/kit/config';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { type Connection, connectMongo } from '@recording-request/kit/mongo';
import { fingerprintOf } from '@recording-request/kit/mongo/indexes';
import { createLease } from '@recording-request/kit/mongo/lease';
import { startRelay } from '@recording-request/kit/outbox';
import { mongoVariables } from '@recording-request/kit/store-variables';
import { ExportFormat, ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { ListLinksRequest } from '@recording-request/proto/projects/v1/projects';
import {
  ListSubmissionsRequest,
  MediaKind,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import { testEnvironment } from '@recording-request/testing/environment';
import { projectSettings } from '@recording-request/testing/project-settings';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { unroutable } from '@recording-request/testing/shard-watch';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { createConcurrencyLimiter } from '../src/domain/concurrency-limiter.ts';
import type { Filter } from '../src/domain/submission.ts';
import { migrate } from '../src/migrate.ts';
import { exportProject } from '../src/rpc/export.ts';
import { getMedia } from '../src/rpc/get-media.ts';
import { listSubmissions } from '../src/rpc/list-submissions.ts';
import { schema } from '../src/store/schema-steps.ts';
import { sharding } from '../src/store/shard-keys.ts';
import { openStores, type Stores } from '../src/store/store.ts';
import { createKeptPages } from '../src/workflows/kept-pages.ts';
import { landed } from './landed-submission.ts';

const CLIPS = 900;
const OPEN_UPLOADS = 200;
const MINUTE_MS = 60_000;
const OWNER = 'owner';
const PROJECT = 'project';
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const at = (index: number) => new Date(LONG_AGO.getTime() + index * MINUTE_MS);
/** As uuidv7() makes it at that time. */
const idAt = (index: number) => {
  const hex = at(index).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(index).padStart(12, '0')}`;
};

const environment = testEnvironment();
const servers = testStores(environment);
let connection: Connection;
let open: Stores;
before(async () => {
  connection = await connectMongo(loadConfig(environment.env, mongoVariables), 'submissions');
  await migrate(environment.env, () => {});
  open = await openStores(connection, () => {});
  await fill();
});
after(async () => {
  await connection.close();
  await servers[Symbol.asyncDispose]();
});

const many = (length: number, of: (index: number) => object) => Array.from({ length }, (_, index) => of(index));
const into = (collection: string, length: number, of: (index: number) => object) =>
  connection.db!.collection(collection).insertMany(many(length, of) as never);

function clip(index: number, fields: object = {}) {
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

const job = (index: number, fields: object) => ({
  ...{ kind: 'media', state: 'waiting', since: at(index), dueAt: at(index), attempts: 0, givenBack: 0 },
  ...fields,
});

const upload = (index: number, fields: object = {}) => ({
  _id: `upload ${String(index).padStart(5, '0')}`,
  ...{ state: 'landed', linkId: `link ${index}`, projectId: PROJECT, ownerId: OWNER, responseId: `response ${index}` },
  ...{ questionIndex: 0, filetype: '', note: '', offset: 5, parts: [], createdAt: at(index), lastByteAt: at(index) },
  ...fields,
});

const keyOf = ({ _id: id, projectId }: ReturnType<typeof upload>) => ({ id, projectId });

async function fill() {
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const future = new Date(Date.now() + 86_400_000);
  const other = { projectId: 'other', responseId: 'x' };
  const jobs: object[] = [
    ...Array.from({ length: 100 }, (_, index) => job(index, { dueAt: future })),
    ...Array.from({ length: 3 }, (_, index) => job(index, { state: 'published', publishedAt: at(index), holder: 'x' })),
    ...Array.from({ length: 3 }, (_, index) => job(index, { state: 'running', holder: 'worker', leaseUntil: future })),
    job(3, { givenBack: 2 }),
  ];
  const event = { id: 'e', topic: 't', key: 'k', at: now, value: Buffer.from('v') };
  await Promise.all([
    into('submissions', CLIPS, index => clip(index, { ...(index === 30 ? { outbox: [event] } : {}) })),
    into('submissions', jobs.length, index =>
      clip(5_000 + index, { ...other, questionIndex: index, mediaStatus: 'processing', job: jobs[index] }),
    ),
    into('submissions', 300, index => ({
      ...{ _id: `tombstone ${index}`, projectId: PROJECT, linkId: '', responseId: `t${index}`, questionIndex: 0 },
      ...{ erasedAt: now, purgeAt: index < 2 ? at(0) : future, revision: 0, outbox: [] },
    })),
    into('uploads', 300, index => upload(index)),
    into('uploads', OPEN_UPLOADS, index =>
      upload(1_000 + index, { state: 'uploading', length: 50, slot: 0, lastByteAt: now }),
    ),
    into('uploads', 20, index =>
      upload(2_000 + index, {
        ...{ state: 'finishing', length: 5, nextTryAt: future, failures: index < 5 ? 1 : 0 },
        finishingAt: at(index),
      }),
    ),
    into('uploads', 30, index =>
      upload(2_100 + index, { state: 'refused', lastByteAt: now, refusal: index < 2 ? 'failed' : 'not_video' }),
    ),
    // A contributor who took many takes, of which some are open, and a project that is being erased.
    into('uploads', 60, index =>
      upload(3_000 + index, {
        ...{ linkId: 'busy', responseId: 'busy', lastByteAt: now, slot: index },
        state: ['uploading', 'finishing'][index] ?? 'deleted',
        nextTryAt: future,
      }),
    ),
    into('uploads', 200, index =>
      upload(4_000 + index, {
        projectId: 'erased',
        emptied: index < 190 || undefined,
        state: 'deleted',
        lastByteAt: now,
      }),
    ),
    into('upload_parts', 100, index => ({ _id: `page ${index}`, uploadId: `upload ${index}`, parts: [] })),
    into('notes', 100, index => ({ _id: `note ${index}`, projectId: 'noted', note: 'x', at: now })),
    into('erasures', 100, index => ({ _id: `project ${index}`, at: now, purgeAt: index < 2 ? at(0) : future })),
    into('archives', 300, index => ({
      ...{ _id: `archive ${index}`, ownerId: OWNER, projectId: index < 3 ? 'archived' : `archived ${index}` },
      ...{
        selection: 'all',
        fingerprint: 'x',
        hasSources: true,
        begunAt: at(index),
        expiresAt: index < 2 ? at(0) : future,
      },
    })),
    into('archive_pages', 300, index => ({
      _id: `archive ${index}/1`,
      archiveId: `archive ${index}`,
      offset: 0,
      videos: [],
    })),
    into('deadLetters', 100, index => ({
      ...(index % 2 ? { reason: UNKNOWN_EVENT, retryAt: later } : {}),
      ...{ _id: `letter ${index}`, at: now, projectId: `project ${index}`, submissionId: `submission ${index}` },
      ...(index % 30 === 0 ? { key: Buffer.alloc(1), value: Buffer.alloc(1) } : { droppedAt: now }),
    })),
  ]);
}

const FILTERS: [name: string, filter: Filter, found: number][] = [
  ['none', {}, 20],
  ['selected', { selected: true }, 15],
  ['not selected', { selected: false }, 20],
  ['transcriptStatus', { transcriptStatus: 'failed' }, 15],
  ['a transcriptStatus of none', { transcriptStatus: 'processing' }, 0],
  ['mediaStatus', { mediaStatus: 'failed' }, 15],
  ['selected and transcriptStatus', { selected: false, transcriptStatus: 'failed' }, 15],
  ['linkId', { linkId: 'rare link' }, 15],
  ['responseId', { responseId: 'rare response' }, 15],
  ['linkId and responseId', { linkId: 'rare link', responseId: 'rare response' }, 15],
  ['createdAfter, lately', { createdAfter: at(CLIPS - 4) }, 3],
  ['createdAfter, long ago', { createdAfter: at(10) }, 20],
  ['changedAfter, lately', { changedAfter: at(CLIPS - 4) }, 3],
  ['changedAfter, by hundreds', { changedAfter: at(CLIPS - 300) }, 20],
  ['changedAfter, nearly all', { changedAfter: at(10) }, 20],
];

test('a change of the indexes comes with a step of the schema, so that no service starts without them', () => {
  const { collections, steps } = schema;
  const now = fingerprintOf(collections);
  assert.equal(steps.findLast(({ indexes }) => indexes)?.indexes, now, `add a step with indexes: '${now}'`);
});

test('no query of a store costs more than what it returns or changes, however much is stored', async () => {
  await using inventory = await takeInventory({
    env: environment.env,
    sharding,
    database: 'submissions',
    stores: open,
    exceptions: {
      'submissions.page of two filters': 'looks for the second in what the first leaves',
      'submissions.page of words': 'a search reads the texts of a project',
      'submissions.count': 'counts the clips of projects, from an index alone',
      'submissions.measure': 'sums the sizes of videos, from an index alone',
      'archives.erasures': 'counts what was erased of a project lately, from an index alone',
      'archives.isUnerased': 'the same',
      'uploads.noteComplete': 'looks through what is open, now and then, for takes of earlier versions',
      'jobs.waitingOwners': 'sorts the owners who wait, of whom it reads one index entry each',
      'jobs.backlog': 'counts what waits, for the operator',
      'jobs.countByState':
        'counts at most 10,000 jobs of a state, from an index alone, every 15 seconds in one process',
      'figures.clipsByState': 'counts at most 10,000 clips of a state, from an index alone, in one process',
      'figures.landings': 'the same of uploads that wait to land',
      'figures.jobsSince': 'the same of jobs',
      'erasures.countOfProject': 'counts what is to be erased, for the operator',
      'storedObjects.ofUpload': 'a check looks at each upload once in all, in the order of their ids',
      'storedObjects.ofArchives': 'a check looks at the archives of a day',
      'storedObjects.named': 'a check looks for keys without a record among what has not landed',
    },
  });
  const {
    uploads,
    notes,
    submissions,
    jobs,
    exportRows,
    archives,
    erasures,
    deadLetters,
    storedObjects,
    backupHold,
    figures,
  } = inventory.stores;
  const now = new Date();

  for (const [name, filter, found] of FILTERS) {
    const first = await submissions.page(OWNER, PROJECT, filter, 20);
    assert.equal(first.submissions.length, found, name);
    const before = first.submissions.at(-1)?.id ?? idAt(CLIPS);
    await submissions.page(OWNER, PROJECT, filter, 5, before);
  }
  const two = { changedAfter: at(CLIPS - 300), selected: false, transcriptStatus: 'failed' } as const;
  const ofTwo = () => open.submissions.page(OWNER, PROJECT, two, 20);
  assert.equal((await inventory.judge('submissions.page of two filters', ofTwo)).submissions.length, 5);
  await inventory.judge('submissions.page of words', () =>
    open.submissions.page(OWNER, PROJECT, { words: ['nowhere'] }, 5),
  );
  await submissions.count(OWNER, [PROJECT, 'other']);
  await submissions.measure(OWNER, PROJECT);
  await submissions.stampOf(OWNER, PROJECT);
  const fresh = landed({ id: uuidv7(), projectId: PROJECT, ownerId: OWNER });
  assert.ok(await submissions.land(fresh, []));
  assert.ok(await submissions.land(fresh, []), 'the same landing again');
  await submissions.find(OWNER, PROJECT, idAt(5));
  await submissions.findObjects(OWNER, PROJECT, idAt(5));
  await submissions.exists(OWNER, PROJECT, idAt(5));
  const key = { projectId: PROJECT, submissionId: idAt(5) };
  await submissions.change({ ...key, ownerId: OWNER }, () => ({ set: { selected: true }, events: [] }));
  await submissions.change(key, () => undefined);
  await submissions.missing(PROJECT, [idAt(5), 'missing']);
  await submissions.announce(key, { type: 'submission.erased', ...key });
  await submissions.dropSource(PROJECT, idAt(5));

  assert.equal((await jobs.inFlight('media')).length, 6);
  assert.equal((await jobs.waitingOwners('media')).length, 1);
  await jobs.nextOf(OWNER, 'media', now);
  assert.equal((await jobs.publishedBefore('media', now, 8)).length, 3);
  const running = { projectId: 'other', submissionId: idAt(5_104) };
  assert.ok(await jobs.renew(running, 'media', 'worker', 1_000));
  assert.ok(await jobs.report(running, 'media', 'worker'));
  await jobs.requestedWithoutJob(now, 100);
  const { troubled } = await jobs.backlog('media', 5);
  await jobs.countByState('media');
  await submissions.oldestUnpublished();
  const states = await figures.clipsByState();
  assert.deepEqual(states, {
    ...{ uploading: OPEN_UPLOADS + 1, finishing: 21, processing: 108, ready: CLIPS - 15, media_failed: 15 },
    ...{ transcribing: 0, transcribed: CLIPS - 15, transcript_failed: 15 },
  });
  assert.deepEqual(await figures.landings(at(25)), { since: at(0), stuck: 20 });
  assert.deepEqual(await figures.jobsSince('media', at(50)), { since: at(0), stuck: 57 });
  assert.equal(await figures.outboxDepth(), 2);
  await figures.now();
  await deadLetters.countOpen(1_000);
  assert.equal(troubled.length, 1);
  await jobs.now();

  assert.equal((await Array.fromAsync(exportRows.plan(OWNER, PROJECT))).length, CLIPS + 1);
  for (const filter of [{}, { selected: false }, { transcriptStatus: 'failed' }] as const) {
    const [first, ...others] = await Array.fromAsync(exportRows.ids(OWNER, PROJECT, filter, { limit: 10 }));
    assert.equal(others.length, 9);
    const upTo = await exportRows.lastId(OWNER, PROJECT, filter);
    const behind = await Array.fromAsync(exportRows.ids(OWNER, PROJECT, filter, { after: first, upTo }));
    assert.deepEqual([behind.slice(0, 9), behind.at(-1)], [others, upTo]);
  }
  await exportRows.terms(OWNER, PROJECT);
  const some = [idAt(3), idAt(4)];
  for (const part of ['texts', 'terms', 'video'] as const) await exportRows.read(OWNER, PROJECT, some, part);
  await exportRows.lastChange(OWNER, PROJECT);
  await exportRows.noteChecksum(PROJECT, idAt(5), { key: 'video 5', crc32: 2 });
  await exportRows.noteUnreadable(PROJECT, idAt(5), { key: 'x', offset: 0 });
  await exportRows.noteUnreadable(PROJECT, idAt(5), undefined);

  const scope = { ownerId: OWNER, projectId: PROJECT, selection: 'all' };
  const erasedThen = await archives.erasures(PROJECT);
  const [made, old] = ['made', 'old'];
  for (const id of [old, made])
    await archives.begin({ ...scope, ...erasedThen, id, fingerprint: 'as it is', cipherKey: 'key' }, true, MINUTE_MS);
  await archives.addPage(made, { offset: 10, number: 1, videos: [] });
  assert.ok(
    await archives.ready(
      { id: made, projectId: PROJECT },
      { etag: '"made"', size: 20, texts: [], directoryAt: 15 },
      MINUTE_MS,
    ),
  );
  assert.equal((await archives.readable(scope)).length, 1);
  const archive = (await archives.find({ ...scope, id: made }))!;
  assert.ok(await archives.isUnerased(archive));
  await archives.used(archive, { idleMs: MINUTE_MS, wholeMs: 2 * MINUTE_MS });
  assert.ok(await archives.pageAt(made, 12));
  assert.ok(await archives.holdsSources(PROJECT));
  await submissions.holdSource(PROJECT, idAt(6), 0);
  assert.equal((await submissions.takeHeldSources(10)).length, 1);
  assert.equal(await archives.end(PROJECT, 1), 1, 'the newest stays');
  await archives.endOne(archive);
  assert.equal((await archives.due(10)).length, 2);
  await archives.remove(archive);

  const [one] = await uploads.idle('landed', 0, 1);
  const begun = { ...one!, id: 'begun', state: 'uploading', linkId: 'busy', responseId: 'busy' } as const;
  assert.ok(await uploads.insert({ ...begun, offset: 0, length: undefined, lastByteAt: now }, 20));
  await uploads.find(begun);
  assert.equal((await uploads.ofResponse(begun)).length, 3);
  assert.ok((await uploads.ofResponse({ ...begun, projectId: '' })).length >= 3);
  assert.ok(await uploads.findAnywhere('begun'));
  await uploads.landingQuestions(begun);
  await uploads.hasOthers(begun);
  assert.equal(await uploads.takeWriter(begun, 'writer', 60_000), 'taken');
  assert.equal(await uploads.takeWriter(begun, 'another', 60_000), 'busy');
  await uploads.renewWriter(begun, 'writer', 60_000);
  await uploads.lookWriter(begun, 'writer');
  assert.ok(await uploads.append(begun, 'writer', { key: 'part', offset: 0, size: 5 }));
  assert.ok(await uploads.declareLength(begun, 'writer', 5));
  await uploads.renewed(begun);
  await uploads.releaseWriter(begun, 'writer');
  assert.equal((await Array.fromAsync(uploads.partsOf(begun))).length, 1);
  assert.deepEqual(
    (await uploads.complete(100)).map(({ id }) => id),
    ['begun'],
  );
  await uploads.finish(begun);
  assert.ok(await uploads.takeWorker(begun, 'worker', 60_000));
  assert.ok(await uploads.renewWorker(begun, 'worker', 60_000, { sha256: 'aa', crc32: 1 }));
  assert.equal((await uploads.find(begun))?.sha256, 'aa');
  assert.equal(await uploads.finishAs(begun, 'another', 60_000), undefined);
  await uploads.failed(begun, true, 'a problem');
  await uploads.fail(begun, 'worker', 'a sentence');
  assert.ok(await uploads.retry(begun));
  await uploads.refuse(begun, 'worker', 'not_video', 'a sentence');
  await uploads.releaseWorker(begun, 'worker');
  await uploads.markDeleted(begun);
  await uploads.forget(begun, 0);
  await uploads.delete(begun);
  await uploads.land(keyOf(upload(2_000)));
  await uploads.salvage(keyOf(upload(1_000)), 0);
  await uploads.expire(keyOf(upload(1_001)), 0);
  await uploads.due(100);
  await uploads.noteComplete();
  for (const state of ['uploading', 'refused', 'deleted'] as const)
    assert.equal((await uploads.idle(state, MINUTE_MS, 100)).length, 0, state);
  assert.equal((await uploads.troubled(100, true)).length, 2);
  const [trouble] = await uploads.troubled(1, false);
  assert.ok((await uploads.troubled(100, false, trouble)).length > 0);

  const answer = { linkId: 'busy', responseId: 'busy', questionIndex: 0 };
  await notes.set({ projectId: PROJECT, ...answer }, 'a note');
  await notes.set({ projectId: PROJECT, ...answer, questionIndex: undefined }, 'a note');
  assert.equal(await notes.find('busy', 'busy', 0), 'a note');

  await deadLetters.list(10, 'newest first');
  const [letter] = await deadLetters.list(1, 'oldest first');
  await deadLetters.list(10, 'oldest first', letter);
  await deadLetters.find(letter!.id);
  await deadLetters.contentOf(letter!.id);
  await deadLetters.dueUnknown(now, 10);
  await deadLetters.postpone(letter!, now);
  await deadLetters.forget('none');
  await deadLetters.end(letter!.id, 'replayedAt');
  await deadLetters.add({ ...letter!, id: 'new' }, { key: null, value: null });
  assert.equal(await deadLetters.count({ submissionId: 'submission 3' }), 1);
  assert.equal(await deadLetters.remove({ projectId: 'project 3' }), 1);

  const erasable = (await erasures.find(idAt(5)))!;
  assert.ok(await erasures.bury(erasable, 1_000));
  await erasures.purged(erasable, now);
  await erasures.purged(erasable, undefined);
  assert.equal((await erasures.ofProject(PROJECT, 10)).length, 10);
  await erasures.countOfProject(PROJECT);
  assert.ok(await erasures.hasRest(PROJECT));
  assert.ok(!(await erasures.hasRest('nothing')));
  await erasures.olderThan(MINUTE_MS, 10);
  for (let due = 0; due < 3; due++) await erasures.takeDue(1_000_000);
  for (let due = 0; due < 3; due++) await erasures.takeDueProject(1_000_000);
  await erasures.closeProject('closed', 1_000);
  await erasures.findProject('closed');
  await erasures.projectPurged('closed', now);
  await erasures.projectPurged('closed', undefined);
  assert.equal((await Array.fromAsync(erasures.uploadIds({ projectId: 'erased' }))).length, 10);
  const emptied = await erasures.emptyUploads({ projectId: 'erased' }, 100);
  assert.equal(emptied.length, 10);
  await erasures.emptyUploads(answer, 100);
  await erasures.uploadsPurged(emptied);
  await erasures.countNotes(answer);
  await erasures.removeNotes(answer);
  await erasures.removeNotes({ projectId: 'noted' });
  await erasures.now();

  assert.ok(!(await backupHold.isHeld()));
  for (const id of ['kept', 'kept too']) await backupHold.keep(id);
  assert.deepEqual(await backupHold.kept(10), ['kept', 'kept too']);
  assert.deepEqual(await backupHold.keptOf(['kept', 'nowhere']), ['kept']);
  await backupHold.forget('kept');

  await storedObjects.ofSubmissions('', 10);
  await storedObjects.ofSubmissions(`${PROJECT}/${OWNER}/${idAt(5)}`, 10);
  await storedObjects.ofUpload('');
  await storedObjects.ofArchives('', 10);
  await storedObjects.named([
    { key: `submissions/${PROJECT}/${idAt(5)}/source`, owner: { kind: 'submission', id: idAt(5) } },
    { key: `submissions/${PROJECT}/nowhere/source`, owner: { kind: 'submission', id: 'nowhere' } },
    { key: 'uploads/nowhere/part', owner: { kind: 'upload', id: 'nowhere' } },
    { key: `exports/${PROJECT}/nowhere/parts`, owner: { kind: 'archive', id: 'nowhere' } },
  ]);

  await inventory.judge('the relay', relayOnce);
  const lease = createLease(connection, 'a lease', 1_000);
  await inventory.judge('a lease', async () => (await lease.hold()) && (await lease.release()));

  assert.equal(inventory.wasteful().join('\n'), '', 'the cost of a query grows with what is stored');
  assert.deepEqual(inventory.uncalled(), [], 'every method of the stores is looked at here');
  assert.deepEqual(inventory.unneeded(), [], 'exceptions are needed');
  const across = inventory.acrossShards();
  assert.deepEqual(across, Object.keys(sharding.acrossShards).sort(), 'each other command carries its shard key');
  assert.deepEqual(unroutable(across), [], 'no command that changes one document asks every shard');
});

/** Publishes what the submissions carry. */
async function relayOnce(): Promise<void> {
  const published: unknown[] = [];
  const kafka = {
    publishRecords: async (records: unknown[]) => {
      published.push(...records);
      return records.map(() => undefined);
    },
    partitionOf: () => 'one',
    setAside: async () => {},
  };
  const log = createLogger('test', 'silent');
  const relay = startRelay({
    connection,
    collection: 'submissions',
    shardKey: 'projectId',
    kafka: kafka as never,
    log,
  });
  const { db } = await servers.database('submissions');
  const carriers = () => db!.collection('submissions').countDocuments({ 'outbox.0': { $exists: true } });
  await until('every event is published', async () => published.length > 0 && (await carriers()) === 0);
  // Its change stream ends with the connection, which is sooner.
  void relay.stop().catch(() => {});
}

test('a take that a process of an earlier version left complete is found, too', async () => {
  const left = upload(9_000, { state: 'uploading', length: 5, lastByteAt: new Date(), slot: 0 });
  await into('uploads', 1, () => left);
  const found = async () => (await open.uploads.complete(100)).some(({ id }) => id === left._id);
  assert.ok(!(await found()));
  await open.uploads.noteComplete();
  assert.ok(await found());
  await open.uploads.finish(keyOf(left));
  assert.ok(!(await found()));
});

test('the figures of a project cost the same with ten clips as with hundreds, and follow each change at once', async () => {
  const { submissions, erasures } = open;
  const small = { projectId: 'small' };
  await into('submissions', 300, index => clip(10_000 + index, { projectId: 'large' }));
  await into('submissions', 10, index => clip(8_000 + index, { ...small, selected: false, createdAt: at(index) }));
  const figuresOf = async (projectId: string) => ({
    ...(await submissions.count(OWNER, [projectId])).get(projectId)!,
    ...(await submissions.measure(OWNER, projectId)),
  });
  const figures = { total: 10, selected: 0, byTranscript: { completed: 10 }, bytes: 100, selectedBytes: 0 };
  assert.deepEqual(await figuresOf('small'), figures);
  assert.equal((await figuresOf('large')).total, 300);

  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const [first, second] = [
    await inventory.costOf(() => figuresOf('small')),
    await inventory.costOf(() => figuresOf('large')),
  ];
  // A look into an index may touch the entry behind.
  assert.ok(second.examined <= first.examined + 4, `10 clips: ${first.examined} examined, 300: ${second.examined}`);
  const both = await inventory.costOf(() => submissions.count(OWNER, ['small', 'large']));
  assert.ok(both.examined <= first.examined + 4, `a list of both: ${both.examined} examined`);

  const select = { set: { selected: true }, events: [] };
  for (const index of [8_001, 8_002]) await submissions.change({ ...small, submissionId: idAt(index) }, () => select);
  assert.equal((await figuresOf('small')).selectedBytes, 20);
  assert.ok(await submissions.land(landed({ ...small, id: uuidv7(), ownerId: OWNER }), []));
  assert.equal((await figuresOf('small')).total, 11);
  for (const [index, left] of [
    [8_001, 10],
    [8_003, 9],
  ] as const) {
    assert.ok(await erasures.bury((await erasures.find(idAt(index)))!, MINUTE_MS));
    assert.equal((await figuresOf('small')).total, left, 'an erased clip is not counted');
  }
  assert.equal((await submissions.count('another owner', ['small'])).get('small')?.total, 0);
});

test('an export of texts opens at the same cost with 40 clips as with 800, and asks for some links of many', async () => {
  const { submissions, exportRows } = open;
  const sizes = { 'few clips': 40, 'many clips': 800 };
  for (const [at, [projectId, clips]] of Object.entries(sizes).entries())
    await into('submissions', clips, index =>
      clip(100_000 + 10 * index + at, {
        ...{ projectId, responseId: `response ${index}`, selected: index % 2 === 0, transcriptStatus: 'completed' },
        terms: { sha256: ['aa', 'bb', 'cc'][index % 3], text: `text ${index % 3}`, acceptedAt: LONG_AGO },
      }),
    );
  const settings = projectSettings();
  const context = {
    ...{ submissions, exportRows, exports: createConcurrencyLimiter({ all: 1, perKey: 1 }) },
    projects: {
      getProject: async () => ({ project: { createdAt: at(0), settings, linkStats: {} } }),
      listLinks: async ({ pageSize = Infinity, cursor }: ListLinksRequest) => {
        assert.ok(pageSize <= 20 && cursor === undefined, 'others are asked for when their turn comes');
        return { uniqueLinks: [], nextCursor: 'more' };
      },
    },
    config: { publicBaseUrl: 'https://rec.example' },
  };
  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const costOf = (projectId: string, request: object) =>
    inventory.costOf(async () => {
      const asked = ExportRequest.fromPartial({ ownerId: OWNER, projectId, ...request });
      const call = { signal: new AbortController().signal };
      for await (const { chunk } of exportProject(context as never)(asked, call as never)) {
        assert.ok(chunk.length > 0);
        break;
      }
    });
  const { EXPORT_FORMAT_JSON, EXPORT_FORMAT_CSV, EXPORT_FORMAT_TRANSCRIPTS } = ExportFormat;
  // The sums that the head of a document shows are kept until something changes.
  for (const projectId of Object.keys(sizes)) await submissions.count(OWNER, [projectId]);
  for (const request of [
    { format: EXPORT_FORMAT_JSON, includeLinks: true },
    { format: EXPORT_FORMAT_CSV },
    { format: EXPORT_FORMAT_TRANSCRIPTS },
    { format: EXPORT_FORMAT_TRANSCRIPTS, filter: { selected: true } },
    { format: EXPORT_FORMAT_TRANSCRIPTS, filter: { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED } },
  ]) {
    const [few, many] = [await costOf('few clips', request), await costOf('many clips', request)];
    const told = `${JSON.stringify(request)}: ${JSON.stringify({ few, many })}`;
    assert.ok(few.commands <= 7 && many.commands === few.commands, told);
    // A look into an index may touch the entry behind.
    assert.ok(few.examined > 40 && many.examined <= few.examined + 6, told);
  }
});

test('a page that is sent is not read again while nothing of its project changes, and follows each change at once', async () => {
  const { submissions, erasures } = open;
  const of = { projectId: 'pages' };
  await into('submissions', 5, index => clip(9_000 + index, { ...of, selected: false, createdAt: at(index) }));
  let reads = 0;
  const counted = {
    stampOf: submissions.stampOf,
    page: (...asked: Parameters<typeof submissions.page>) => {
      reads += 1;
      return submissions.page(...asked);
    },
  };
  const searches = createConcurrencyLimiter({ all: 4, perKey: 2 });
  const list = listSubmissions({ submissions: counted, searches, pages: createKeptPages(1_000_000) });
  const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
  const shown = async (more: object = {}) => {
    const asked = ListSubmissionsRequest.fromPartial({ ownerId: OWNER, ...of, pageSize: 10, presentation, ...more });
    const { pageJson } = await list(asked);
    return JSON.parse(pageJson!.toString()) as SubmissionsPageJson;
  };
  const before = await shown();
  assert.equal(before.submissions.length, 5);
  assert.deepEqual(await shown(), before);
  assert.equal(reads, 1, 'nothing had changed');
  await shown({ pageSize: 2 });
  await shown({ presentation: { ...presentation, projectName: 'Other' } });
  assert.equal(reads, 3, 'another page is another one');

  const select = { set: { selected: true }, events: [] };
  await submissions.change({ ...of, submissionId: idAt(9_001) }, () => select);
  assert.equal((await shown()).submissions.filter(each => each.selected).length, 1, 'a change shows at once');
  assert.ok(await erasures.bury((await erasures.find(idAt(9_002)))!, MINUTE_MS));
  assert.ok(!(await shown()).submissions.some(each => each.submissionId === idAt(9_002)), 'an erased clip is gone');
  assert.ok(await submissions.land(landed({ ...of, id: uuidv7(), ownerId: OWNER }), []));
  assert.equal((await shown()).submissions.length, 5, 'a clip that landed is there');
});

test('each range of a video, and each thumbnail, reads neither transcript nor texts', async () => {
  const { submissions } = open;
  await using inventory = await takeInventory({
    ...{ env: environment.env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const objects = { presignGet: async () => 'an address' };
  const media = getMedia({ config: { presignSeconds: 60 }, submissions, objects } as never);
  const request = { ownerId: OWNER, projectId: PROJECT, submissionId: idAt(20) };
  const { bytes } = await inventory.costOf(() => media({ ...request, kind: MediaKind.MEDIA_KIND_VIDEO }));
  assert.ok(bytes < 2_048, `a range of a video reads ${bytes} bytes of its submission`);
});
