import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { uuidv7 } from '@recording-request/kit/ids';
import { ExportFormat, ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { ListLinksRequest } from '@recording-request/proto/projects/v1/projects';
import {
  ListSubmissionsRequest,
  MediaKind,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import { projectSettings } from '@recording-request/testing/project-settings';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { getMedia } from '../src/rpc/clips/get-media.ts';
import { exportProject } from '../src/rpc/exports/export.ts';
import { openModels } from '../src/store/models.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { landed } from './landed-submission.ts';
import { listing } from './listing.ts';
import { at, clip, idAt, LONG_AGO, MINUTE_MS, OWNER, PROJECT, useStores } from './stored-clips.ts';

const opened = useStores();
const { env, into } = opened;

test('the figures of a project cost the same with ten clips as with hundreds, and show each change at once', async () => {
  const { submissions, erasures } = opened.stores;
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
    ...{ env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const [first, second] = [
    await inventory.costOf(() => figuresOf('small')),
    await inventory.costOf(() => figuresOf('large')),
  ];
  // An index scan may read one entry after its last match.
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

test('figures are cached by owner, and a list and a poll share those of a project that lost a clip', async () => {
  const { submissions } = opened.stores;
  const of = { projectId: 'partly erased' };
  await into('submissions', 200, index => clip(11_000 + index, { ...of, selected: false }));
  const tombstone = { ownerId: '', erasedAt: at(11_900), changedAt: at(11_900) };
  await into('submissions', 1, () => clip(11_900, { ...of, ...tombstone }));
  await into('submissions', 1, () => clip(11_901, { projectId: 'beside it' }));
  const figuresOf = async (ownerId: string) => {
    const counts = await submissions.count(ownerId, [of.projectId]);
    return [counts.get(of.projectId)?.total, (await submissions.measure(ownerId, of.projectId)).bytes];
  };
  assert.deepEqual(await figuresOf('another owner'), [0, 0]);
  assert.deepEqual(await figuresOf(OWNER), [200, 2_000], 'the owner does not get another owner’s figures');
  assert.deepEqual(await figuresOf('another owner'), [0, 0], 'another owner does not get the owner’s figures');

  const fresh = createSubmissionStore(openModels(opened.connection));
  const atOnce = [OWNER, 'another owner', OWNER].map(ownerId => fresh.count(ownerId, [of.projectId]));
  const totals = (await Promise.all(atOnce)).map(counts => counts.get(of.projectId)?.total);
  assert.deepEqual(totals, [200, 0, 200], 'concurrent requests get their own figures too');

  await using inventory = await takeInventory({
    ...{ env, database: 'submissions', stores: {}, exceptions: {} },
  });
  await submissions.count(OWNER, [of.projectId, 'beside it']);
  for (const requested of [[of.projectId], [of.projectId, 'beside it'], [of.projectId]]) {
    const { examined } = await inventory.costOf(() => submissions.count(OWNER, requested));
    assert.ok(examined < 20, `${requested.length} of them: ${examined} examined`);
  }
});

test('a text export opens at the same cost with 40 clips as with 800, and reads only the first links', async () => {
  const { submissions, exportRows } = opened.stores;
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
    ...{ submissions, exportRows, exports: createFairSlots(1) },
    projects: {
      getProject: async () => ({ project: { createdAt: at(0), settings, linkStats: {} } }),
      listLinks: async ({ pageSize = Infinity, cursor }: ListLinksRequest) => {
        assert.ok(pageSize <= 20 && cursor === undefined, 'later links are read when their turn comes');
        return { uniqueLinks: [], nextCursor: 'more' };
      },
    },
    config: { publicBaseUrl: 'https://rec.example' },
  };
  await using inventory = await takeInventory({
    ...{ env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const costOf = (projectId: string, request: object) =>
    inventory.costOf(async () => {
      const requested = ExportRequest.fromPartial({ ownerId: OWNER, projectId, ...request });
      const call = { signal: new AbortController().signal };
      for await (const { chunk } of exportProject(context as never)(requested, call as never)) {
        assert.ok(chunk.length > 0);
        break;
      }
    });
  const { EXPORT_FORMAT_JSON, EXPORT_FORMAT_CSV, EXPORT_FORMAT_TRANSCRIPTS } = ExportFormat;
  // Fills the cache of the sums that a document's head shows. The cache is valid until a clip changes.
  for (const projectId of Object.keys(sizes)) await submissions.count(OWNER, [projectId]);
  for (const request of [
    { format: EXPORT_FORMAT_JSON, includeLinks: true },
    { format: EXPORT_FORMAT_CSV },
    { format: EXPORT_FORMAT_TRANSCRIPTS },
    { format: EXPORT_FORMAT_TRANSCRIPTS, filter: { selected: true } },
    { format: EXPORT_FORMAT_TRANSCRIPTS, filter: { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED } },
  ]) {
    const [few, many] = [await costOf('few clips', request), await costOf('many clips', request)];
    const message = `${JSON.stringify(request)}: ${JSON.stringify({ few, many })}`;
    assert.ok(few.commands <= 7 && many.commands === few.commands, message);
    // An index scan may read one entry after its last match.
    assert.ok(few.examined > 40 && many.examined <= few.examined + 6, message);
  }
});

test('a page is not read again while its project does not change, and shows each change at once', async () => {
  const { submissions, erasures } = opened.stores;
  const of = { projectId: 'pages' };
  await into('submissions', 5, index => clip(9_000 + index, { ...of, selected: false, createdAt: at(index) }));
  let reads = 0;
  const counted = {
    stampOf: submissions.stampOf,
    page: (...requested: Parameters<typeof submissions.page>) => {
      reads += 1;
      return submissions.page(...requested);
    },
  };
  const list = listing(counted, 4);
  const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
  const shown = async (more: object = {}) => {
    const requested = ListSubmissionsRequest.fromPartial({
      ownerId: OWNER,
      ...of,
      pageSize: 10,
      presentation,
      ...more,
    });
    const { pageJson } = await list(requested);
    return JSON.parse(pageJson!.toString()) as SubmissionsPageJson;
  };
  const before = await shown();
  assert.equal(before.submissions.length, 5);
  assert.deepEqual(await shown(), before);
  assert.equal(reads, 1, 'nothing had changed');
  await shown({ pageSize: 2 });
  await shown({ presentation: { ...presentation, projectName: 'Other' } });
  assert.equal(reads, 3, 'another page is read');

  const select = { set: { selected: true }, events: [] };
  await submissions.change({ ...of, submissionId: idAt(9_001) }, () => select);
  assert.equal((await shown()).submissions.filter(each => each.selected).length, 1, 'a change shows at once');
  assert.ok(await erasures.bury((await erasures.find(idAt(9_002)))!, MINUTE_MS));
  assert.ok(
    !(await shown()).submissions.some(each => each.submissionId === idAt(9_002)),
    'an erased clip disappears at once',
  );
  assert.ok(await submissions.land(landed({ ...of, id: uuidv7(), ownerId: OWNER }), []));
  assert.equal((await shown()).submissions.length, 5, 'a landed clip appears at once');
});

test('a range of a video reads neither the transcript nor the texts of its clip', async () => {
  const { submissions } = opened.stores;
  await into('submissions', 1, () => clip(20));
  await using inventory = await takeInventory({
    ...{ env, database: 'submissions', stores: {}, exceptions: {} },
  });
  const objects = { presignGet: async () => 'an address' };
  const media = getMedia({ config: { presignSeconds: 60 }, submissions, objects } as never);
  const request = { ownerId: OWNER, projectId: PROJECT, submissionId: idAt(20) };
  const { bytes } = await inventory.costOf(() => media({ ...request, kind: MediaKind.MEDIA_KIND_VIDEO }));
  assert.ok(bytes < 2_048, `a range of a video reads ${bytes} bytes of its submission`);
});
