import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRelay } from '@recording-request/events/outbox';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { fingerprintOf } from '@recording-request/kit-mongo/indexes';
import { createLease } from '@recording-request/kit-mongo/lease';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { unroutable } from '@recording-request/testing/shard-watch';
import { until } from '@recording-request/testing/wait';
import type { Filter } from '../src/domain/clips/submission.ts';
import { schema } from '../src/store/schema-steps.ts';
import { sharding } from '../src/store/shard-keys.ts';
import { CLIPS, fill, OPEN_UPLOADS } from './filled-stores.ts';
import { landed } from './landed-submission.ts';
import { at, idAt, keyOf, MINUTE_MS, OWNER, PROJECT, upload, useStores } from './stored-clips.ts';

const opened = useStores(fill);
const { env, servers } = opened;

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
  ['origins: links', { origins: [{ linkId: 'rare link' }, { linkId: 'none' }] }, 15],
  ['origins: responses', { origins: [{ linkId: 'rare link', responseId: 'rare response' }] }, 15],
  ['origins: both', { origins: [{ linkId: 'rare link' }, { linkId: 'shared', responseId: 'rare response' }] }, 15],
  ['no origins', { origins: [] }, 0],
  ['createdAfter, lately', { createdAfter: at(CLIPS - 4) }, 3],
  ['createdAfter, long ago', { createdAfter: at(10) }, 20],
  ['createdBefore, long ago', { createdBefore: at(10) }, 10],
  ['createdBefore, lately', { createdBefore: at(CLIPS - 4) }, 20],
  ['between two times', { createdAfter: at(10), createdBefore: at(14) }, 3],
  ['changedAfter, lately', { changedAfter: at(CLIPS - 4) }, 3],
  ['changedAfter, by hundreds', { changedAfter: at(CLIPS - 300) }, 20],
  ['changedAfter, nearly all', { changedAfter: at(10) }, 20],
];

test('a change of the indexes has a schema step, so that no service starts without them', () => {
  const { collections, steps } = schema;
  const now = fingerprintOf(collections);
  assert.equal(steps.findLast(({ indexes }) => indexes)?.indexes, now, `add a step with indexes: '${now}'`);
});

test('the cost of each store query depends on what it returns or changes, not on what is stored', async () => {
  await using inventory = await takeInventory({
    env,
    sharding,
    database: 'submissions',
    stores: opened.stores,
    exceptions: {
      'submissions.page of two filters': 'applies the second filter to the result of the first',
      'submissions.page of words': 'a search reads the texts of a project',
      'submissions.count': 'counts the clips of projects, from an index alone',
      'submissions.measure': 'sums the sizes of videos, from an index alone',
      'archives.erasures': 'counts the recent erasures of a project, from an index alone',
      'archives.isUnerased': 'the same',
      'jobs.waitingOwners': 'sorts the waiting owners, with one index entry for each',
      'jobs.backlog': 'counts the waiting jobs, for the operator',
      'jobs.countByState':
        'counts at most 10,000 jobs of a state, from an index alone, every 15 seconds in one process',
      'figures.clipsByState': 'counts at most 10,000 clips of a state, from an index alone, in one process',
      'figures.landings': 'the same for uploads that wait to land',
      'figures.jobsSince': 'the same for jobs',
      'erasures.countOfProject': 'counts the clips to be erased, for the operator',
      'erasures.countOfLink': 'counts the clips of one response, from an index alone',
      'storedObjects.ofUpload': 'a check reads each upload once, in the order of ids',
      'storedObjects.ofArchives': 'a check reads the archives of a day',
      'storedObjects.named': 'a check searches the uploads that have not landed for keys without a record',
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
  const ofTwo = () => opened.stores.submissions.page(OWNER, PROJECT, two, 20);
  assert.equal((await inventory.judge('submissions.page of two filters', ofTwo)).submissions.length, 5);
  await inventory.judge('submissions.page of words', () =>
    opened.stores.submissions.page(OWNER, PROJECT, { words: ['nowhere'] }, 5),
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
  assert.equal(await submissions.touch(OWNER, PROJECT, 'rare link'), 15);
  await submissions.missing(PROJECT, [idAt(5), 'missing']);
  await submissions.announce(key, { type: 'submission.erased', ...key });
  await submissions.dropSource(PROJECT, idAt(5));

  assert.equal((await jobs.waitingOwners('media')).length, 1);
  assert.equal((await jobs.runningByOwner('media')).get(OWNER), 6);
  assert.ok(await submissions.changeNext({ ownerId: OWNER, kind: 'media', now }, () => undefined));
  assert.equal((await jobs.overdue(now, 8)).length, 3);
  assert.ok(await jobs.heldBy('media', 'worker'));
  const running = { projectId: 'other', submissionId: idAt(5_104) };
  assert.ok(await jobs.renew(running, 'media', 'worker', 1_000));
  assert.ok(await jobs.report(running, 'media', 'worker', 1_000));
  const { troubled } = await jobs.backlog('media', 5);
  await jobs.countByState('media');
  await submissions.oldestUnpublished();
  await submissions.landedBetween({ from: at(0), to: now }, '', 5);
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
  await exportRows.noteUnreadable(PROJECT, idAt(5), { key: 'x', offset: 0 });
  await exportRows.noteUnreadable(PROJECT, idAt(5), undefined);

  const scope = { ownerId: OWNER, projectId: PROJECT, selection: 'all' };
  const erasedThen = await archives.erasures(PROJECT);
  const [made, old] = ['made', 'old'];
  for (const id of [old, made])
    await archives.begin({ ...scope, ...erasedThen, id, fingerprint: 'as it is', cipherKey: 'key' }, true, MINUTE_MS);
  await archives.addPage(made, { offset: 10, number: 1, videos: [] });
  const layout = { etag: '"made"', size: 20, texts: [], directoryAt: 15 };
  for (const id of [old, made]) assert.ok(await archives.ready({ id, projectId: PROJECT }, layout, MINUTE_MS));
  assert.equal((await archives.readable(scope)).length, 2);
  const archive = (await archives.find({ ...scope, id: made }))!;
  assert.ok(await archives.isUnerased(archive));
  await archives.used(archive, { idleMs: MINUTE_MS, wholeMs: 2 * MINUTE_MS });
  assert.ok(await archives.pageAt(made, 12));
  assert.ok(await archives.holdsSources(PROJECT));
  await submissions.holdSource(PROJECT, idAt(6), 0);
  assert.equal((await submissions.takeHeldSources(10)).length, 1);
  assert.equal(await archives.endUnread(PROJECT, 1, 3_600_000), 1, 'the newest stays');
  await archives.endOne(archive);
  assert.equal(await archives.end(PROJECT), 0, 'all archives have ended');
  assert.equal((await archives.due(10)).length, 2);
  await archives.remove(archive);

  const [one] = await uploads.idle('landed', 0, 1);
  const begun = { ...one!, id: 'begun', state: 'uploading', linkId: 'busy', responseId: 'busy' } as const;
  assert.ok(await uploads.insert({ ...begun, offset: 0, length: undefined, lastByteAt: now }, 20));
  await uploads.find(begun);
  assert.equal((await uploads.ofResponse(begun)).length, 3);
  assert.ok(await uploads.findAnywhere('begun'));
  await uploads.landingQuestions(begun);
  await uploads.underWay(begun);
  await uploads.hasOthers(begun);
  assert.ok(await uploads.takeWriter(begun, 'writer', 60_000));
  assert.equal(await uploads.takeWriter(begun, 'another', 60_000), 'busy');
  await uploads.renewWriter(begun, 'writer', 60_000);
  await uploads.lookWriter(begun, 'writer');
  assert.ok(await uploads.append(begun, 'writer', { key: 'part', offset: 0, size: 5 }));
  assert.ok(await uploads.declareLength(begun, 'writer', 5));
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
  await uploads.hasLanded(keyOf(upload(1_002)));
  await uploads.forget(begun, 0);
  await uploads.delete(begun);
  await uploads.land(keyOf(upload(2_000)));
  const left = await uploads.takePartsLeft(100);
  assert.deepEqual(left, [keyOf(upload(2_000))], 'a landed upload has parts left');
  assert.deepEqual(await uploads.takePartsLeft(100), [], 'other processes do not get it');
  await uploads.partsRemoved(left[0]!);
  await uploads.salvage(keyOf(upload(1_000)), 0);
  await uploads.expire(keyOf(upload(1_001)), 0);
  await uploads.due(100);
  await uploads.due(100, [OWNER]);
  await uploads.endedBefore({ linkId: 'link', responseId: 'response', projectId: PROJECT }, 20);
  for (const state of ['uploading', 'refused', 'deleted'] as const)
    assert.equal((await uploads.idle(state, MINUTE_MS, 100)).length, 0, state);
  assert.equal((await uploads.troubled(100, true)).length, 2);
  const [trouble] = await uploads.troubled(1, false);
  assert.ok((await uploads.troubled(100, false, trouble)).length > 0);

  const answer = { linkId: 'busy', responseId: 'busy', questionIndex: 0 };
  await notes.set({ projectId: PROJECT, ...answer }, 'a note');
  await notes.set({ projectId: PROJECT, ...answer, questionIndex: undefined }, 'a note');
  await notes.passOn({ id: 'begun', projectId: PROJECT, ...answer });

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
  assert.equal(await deadLetters.remove({ submissionId: 'submission 4' }), 1);
  assert.equal(await deadLetters.count({ projectId: 'project 3' }), 1);
  assert.equal(await deadLetters.remove({ projectId: 'project 3' }), 1);

  const erasable = (await erasures.find(idAt(5)))!;
  assert.equal(await erasures.hasOtherClip({ ...erasable.answer!, projectId: erasable.projectId }, idAt(5)), false);
  assert.ok(await erasures.bury(erasable, 1_000));
  await erasures.purged(erasable, now);
  await erasures.purged(erasable, undefined);
  assert.equal((await erasures.ofProject(PROJECT, 10)).length, 10);
  await erasures.countOfProject(PROJECT);
  assert.ok(await erasures.hasRest(PROJECT));
  assert.ok(!(await erasures.hasRest('nothing')));
  await erasures.olderThan(MINUTE_MS, 10);
  await erasures.olderThanIn({ projectId: PROJECT, ownerId: OWNER }, MINUTE_MS, 10);
  for (let due = 0; due < 3; due++) await erasures.takeDue(1_000_000);
  for (let due = 0; due < 3; due++) await erasures.takeDueProject(1_000_000);
  await erasures.closeProject('closed', 1_000);
  assert.ok((await erasures.begin({ projectId: 'closed', ownerId: OWNER }, 1_000)).isNew);
  await erasures.addRemoved('closed', { removed: { notes: 1 } });
  await erasures.announced('closed');
  await erasures.done('closed', now);
  await erasures.findProject('closed');
  await erasures.projectPurged('closed', now);
  await erasures.projectPurged('closed', undefined);
  const erasedLink = { ownerId: OWNER, projectId: PROJECT, linkId: erasable.answer!.linkId };
  assert.ok((await erasures.begin(erasedLink, 1_000)).isNew);
  await erasures.addSubmissions(erasedLink.linkId, [idAt(7)]);
  assert.ok(await erasures.erasureOf(erasedLink));
  await erasures.ofLink(erasedLink, 10);
  await erasures.countOfLink(erasedLink);
  await erasures.hasRestOfLink(erasedLink);
  await erasures.unfinished(PROJECT, [idAt(5), idAt(7)]);
  await Array.fromAsync(erasures.uploadIds({ projectId: PROJECT, linkId: 'busy' }));
  await erasures.emptyUploads({ projectId: PROJECT, linkId: 'busy' }, 5);
  await erasures.removeNotes({ projectId: PROJECT, linkId: 'busy' });
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
  const lease = createLease(opened.connection, 'a lease', 1_000);
  await inventory.judge('a lease', async () => (await lease.hold()) && (await lease.release()));

  assert.equal(inventory.wasteful().join('\n'), '', 'these queries cost more when more is stored');
  assert.deepEqual(inventory.uncalled(), [], 'every method of the stores is measured here');
  assert.deepEqual(inventory.unneeded(), [], 'every exception is needed');
  const across = inventory.acrossShards();
  assert.deepEqual(across, Object.keys(sharding.acrossShards).sort(), 'each other command carries its shard key');
  assert.deepEqual(unroutable(across), [], 'no command that changes one document goes to every shard');
});

/** Publishes the events in the outboxes of the submissions. */
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
    connection: opened.connection,
    name: 'submissions',
    collections: { submissions: 'projectId' },
    kafka: kafka as never,
    log,
  });
  const { db } = await servers.database('submissions');
  const carriers = () => db!.collection('submissions').countDocuments({ 'outbox.0': { $exists: true } });
  await until('every event is published', async () => published.length > 0 && (await carriers()) === 0);
  // Not awaited, because the change stream ends earlier, with the connection.
  void relay.stop().catch(() => {});
}
