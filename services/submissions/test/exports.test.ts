import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DEFAULTS } from '@recording-request/contract/limits';
import type { ExportDocumentJson } from '@recording-request/contract/resources/export-document';
import { ExportFormat } from '@recording-request/proto/exports/v1/exports';
import { Link, LinkStatus, type ListLinksRequest } from '@recording-request/proto/projects/v1/projects';
import { ListSubmissionsRequest, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { exportProject } from '../src/rpc/exports/export.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { listing } from './listing.ts';
import { all, CLIPS, OWNER, openProjectsOfClips, whole } from './project-of-clips.ts';

const { clipsOf, models } = openProjectsOfClips();

test('all parts of a ZIP show the clips of its start, while others land and filters change', async () => {
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

test('text exports show the clips of their start, each once, and break off when one is erased', async () => {
  for (const [at, [name, format, part]] of TEXTS.entries()) {
    const { clip, insert, read, change, erase } = await clipsOf(30_000 + 1_000 * at, undefined, CLIPS);
    // Long enough for an export in several pieces.
    const long = { $set: { transcriptText: 'word '.repeat(3_000) } };
    for (const index of all) await change(index, long);
    const once = (await read(undefined, { format }))[part];
    assert.deepEqual(once, all, name);
    const meanwhile = await read(() => insert([clip(CLIPS, { responseId: 'late' })]), { format });
    assert.deepEqual(meanwhile[part], all, `${name} while another lands`);
    // After 10 chunks, the export has read the list of its clips.
    await assert.rejects(
      read(() => erase(CLIPS - 1), { format }, 10),
      { code: 'unavailable', retryAfterSec: 1 },
      `${name} while one is erased`,
    );
    assert.equal((await read(undefined, { format }))[part].length, CLIPS);
  }
});

test('a clip that lands after the first bytes of an export is in neither the export nor its figures', async () => {
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

test('export.json has every link, reads the links page by page, and is refused when the first page cannot be read', async () => {
  const { context, projectId } = await clipsOf(35_500);
  const link = (linkId: string) =>
    Link.fromPartial({ linkId, status: LinkStatus.LINK_STATUS_ACTIVE, createdAt: new Date(0) });
  const pages: Record<string, object> = {
    '': { uniqueLinks: [link('1'), link('2')], nextCursor: 'second' },
    second: { uniqueLinks: [link('3')], nextCursor: 'last' },
    last: { uniqueLinks: [] },
  };
  const listLinks = async ({ pageSize = Infinity, cursor = '' }: ListLinksRequest) => {
    assert.ok(pageSize <= DEFAULTS.linkPageSize, 'the request has a page size');
    return pages[cursor];
  };
  const request = { ownerId: OWNER, projectId, format: ExportFormat.EXPORT_FORMAT_JSON, includeLinks: true };
  const call = { signal: new AbortController().signal } as never;
  const piecesWith = (projects: object) =>
    exportProject({ ...context, projects: { ...context.projects, ...projects } } as never)(request as never, call);
  const pieces = await Array.fromAsync(piecesWith({ listLinks }));
  const document: ExportDocumentJson = JSON.parse(Buffer.concat(pieces.map(({ chunk }) => chunk)).toString());
  assert.deepEqual(
    document.links?.recipientUrls.map(({ tokenId }) => tokenId),
    ['1', '2', '3'],
  );
  assert.equal(document.submissions.length, CLIPS);
  const refused = piecesWith({ listLinks: async () => Promise.reject(new Error('away')) });
  await assert.rejects(refused[Symbol.asyncIterator]().next(), /away/, 'before anything is sent');
});

test('export.json has each text of terms once, in the order of the first acceptance', async () => {
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
  assert.deepEqual(await context.exportRows.terms(randomUUID(), projectId), {}, 'another owner sees no terms');
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

test('a clip that is erased while a ZIP is read, before or after its turn, breaks it off; the next ZIP omits it', async () => {
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

test('an unreadable clip breaks a ZIP off once; the next ZIP names it as missing, and has it again once it is readable', async () => {
  const { read, broken, clip } = await clipsOf(6_000);
  broken.add(clip(70).key);
  await assert.rejects(read(), { code: 'NoSuchKey' });
  const rest = all.filter(each => each !== 70);
  for (let again = 0; again < 2; again++) assert.deepEqual(await read(), { ...whole(rest), missing: [70] });
  broken.clear();
  assert.deepEqual(await read(), whole(all));
});

test('every unreadable clip is read again, and an outage meanwhile reports none of them as missing', async () => {
  const { read, broken, objects, clip, change } = await clipsOf(7_000);
  const doubt = () =>
    Promise.all(all.map(index => change(index, { $set: { unreadable: { key: clip(index).key, offset: 0 } } })));
  await doubt();
  const away = async () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  const well = { ...objects };
  Object.assign(objects, { get: away, stat: away });
  await assert.rejects(read(), { code: 'ECONNREFUSED' }, 'an outage is not reported as missing clips');
  let resets = 0;
  const get: typeof objects.get = (key, options) => (resets++ < 3 ? away() : well.get(key, options));
  Object.assign(objects, well, { get });
  broken.add(clip(100).key);
  const rest = all.filter(index => index !== 100);
  assert.deepEqual(await read(), { ...whole(rest), missing: [100] }, 'the other clips are back, even after an outage');
  broken.clear();
  const stuck = clip(90).key;
  Object.assign(objects, { get: (key: string, options = {}) => (key === stuck ? away() : well.get(key, options)) });
  await doubt();
  assert.deepEqual((await read()).missing, [90], 'only the unreadable clip is named');
});

const STATES: [state: string, filter: TranscriptStatus][] = [
  ['pending', TranscriptStatus.TRANSCRIPT_STATUS_PENDING],
  ['processing', TranscriptStatus.TRANSCRIPT_STATUS_PROCESSING],
  ['completed', TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED],
  ['failed', TranscriptStatus.TRANSCRIPT_STATUS_FAILED],
  ['disabled', TranscriptStatus.TRANSCRIPT_STATUS_DISABLED],
];

test('a filter by transcript state selects the same clips in the list, the ZIP and the texts', async () => {
  const { projectId, read, clip } = await clipsOf(8_000);
  const states = [...STATES.map(([state]) => state), 'none'];
  for (const [at, transcriptStatus] of states.entries()) {
    const _id = { $in: all.filter(index => index % states.length === at).map(index => clip(index)._id) };
    await models().submissions.updateMany({ _id, projectId }, { $set: { transcriptStatus } });
  }
  const list = listing(createSubmissionStore(models()), 1);
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
