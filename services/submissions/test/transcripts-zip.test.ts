import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { LIMITS } from '@recording-request/contract/limits';
import { run } from '@recording-request/fixtures/run';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { ExportFormat } from '@recording-request/proto/exports/v1/exports';
import { TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { exportProject } from '../src/rpc/exports/export.ts';
import { all, CLIPS, OWNER, openProjectsOfClips, rowId } from './project-of-clips.ts';

const { clipsOf } = openProjectsOfClips();

const LOOK = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    bad = archive.testzip()
    print(json.dumps({"bad": bad, "entries": [{"name": e.filename, "date": e.date_time, "deflated": e.compress_type == zipfile.ZIP_DEFLATED,
                      "text": archive.read(e).decode()} for e in archive.infolist()]}))
`;
let scratch = '';
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'transcripts-zip-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

interface Entry {
  name: string;
  date: number[];
  deflated: boolean;
  text: string;
}

async function entriesOf(zip: Buffer): Promise<Entry[]> {
  const path = join(scratch, 'read.zip');
  await writeFile(path, zip);
  const { bad, entries } = JSON.parse(await run('python3', ['-c', LOOK, path]));
  assert.equal(bad, null);
  return entries;
}

type Project = Awaited<ReturnType<typeof clipsOf>>;

function piecesOf({ context, projectId }: Project, filter?: object, signal = new AbortController().signal) {
  const request = { ownerId: OWNER, projectId, format: ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP, filter };
  return exportProject(context as never)(request as never, { signal } as never);
}

const zipOf = async (project: Project, filter?: object): Promise<Buffer> =>
  Buffer.concat((await Array.fromAsync(piecesOf(project, filter))).map(({ chunk }) => chunk));

const VTT = 'WEBVTT\n\n00:00:00.400 --> 00:00:02.100\nbread &amp; butter\n';
const completed = (index: number) => ({
  $set: {
    transcriptText: `bread & butter ${index}`,
    transcriptVtt: VTT,
    createdAt: new Date(Date.UTC(2026, 2, 2, 10, 20, 30)),
  },
});

test('each clip with a completed transcript has three deflated files, named like its video in project.zip', async () => {
  const project = await clipsOf(50_000);
  for (const index of all) await project.change(index, completed(index));
  await project.change(1, { $set: { transcriptStatus: 'failed' } });
  await project.change(CLIPS - 1, { $set: { transcriptText: '', transcriptVtt: 'WEBVTT\n' } });
  const zip = await zipOf(project);
  const entries = await entriesOf(zip);
  const want = all.filter(index => index !== 1);
  assert.equal(entries.length, 3 * want.length);
  for (const [at, index] of want.entries()) {
    const name = `${String(index + 1).padStart(4, '0')}-${rowId(50_000 + index)}`;
    const [txt, vtt, srt] = entries.slice(3 * at);
    assert.deepEqual([txt!.name, vtt!.name, srt!.name], [`${name}.txt`, `${name}.vtt`, `${name}.srt`]);
    if (index === CLIPS - 1) {
      assert.deepEqual([txt!.text, vtt!.text, srt!.text], ['', 'WEBVTT\n', '']);
      continue;
    }
    assert.deepEqual(
      [txt!.text, vtt!.text, srt!.text],
      [`bread & butter ${index}`, VTT, '1\n00:00:00,400 --> 00:00:02,100\nbread & butter\n'],
    );
    assert.ok(vtt!.deflated);
    assert.deepEqual(txt!.date, [2026, 3, 2, 10, 20, 30]);
  }
  const { videos } = await project.read();
  assert.equal(videos.length, CLIPS, 'project.zip has the clip without a transcript, so the numbers count it');
  assert.ok((await zipOf(project)).equals(zip), 'the same content gives the same bytes');
});

test('filters apply to transcripts.zip, and without a transcript it is a valid archive that says so', async () => {
  const project = await clipsOf(51_000, undefined, 6);
  for (const index of [0, 1, 2, 3]) await project.change(index, completed(index));
  for (const index of [4, 5]) await project.change(index, { $set: { transcriptStatus: 'pending' } });
  for (const index of [2, 4]) await project.change(index, { $set: { selected: true } });
  const namesOf = async (filter: object) => (await entriesOf(await zipOf(project, filter))).map(({ name }) => name);
  const name = (number: number, index: number) => `${String(number).padStart(4, '0')}-${rowId(51_000 + index)}.txt`;
  const texts = (names: string[]) => names.filter(each => each.endsWith('.txt'));
  assert.deepEqual(texts(await namesOf({ selected: true, transcriptStatus: 0 })), [name(1, 2)]);
  assert.deepEqual(texts(await namesOf({ selected: false, transcriptStatus: 0 })), [
    name(1, 0),
    name(2, 1),
    name(3, 3),
  ]);
  const done = { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED };
  assert.equal((await namesOf(done)).length, 12);
  const empty = await clipsOf(52_000, undefined, 1);
  await empty.change(0, { $set: { transcriptStatus: 'disabled' } });
  for (const zip of [
    await zipOf(project, { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_PENDING }),
    await zipOf(empty),
  ]) {
    const [only, ...more] = await entriesOf(zip);
    assert.deepEqual([only!.name, only!.text, more], ['README.txt', 'No clip has a finished transcript.\n', []]);
  }
});

// Random words, because repeated words would compress to almost nothing.
const long = () => Array.from({ length: 4_000 }, () => Math.random().toString(36).slice(2)).join(' ');

test('a slow client slows the reads down, and a client that disconnects ends them and frees its slot', async () => {
  const project = await clipsOf(53_000);
  for (const index of all) await project.change(index, { $set: { transcriptText: long(), transcriptVtt: VTT } });
  let reads = 0;
  const { read } = project.context.exportRows;
  project.context.exportRows.read = (...of) => {
    reads += 1;
    return read(...of);
  };
  let taken = 0;
  for await (const { chunk } of piecesOf(project)) {
    taken += chunk.length;
    if (taken > 200_000) break;
  }
  assert.ok(reads <= 2, `${reads} pages were read for ${taken} bytes`);
  assert.equal((await entriesOf(await zipOf(project))).length, 3 * CLIPS, 'the only slot is free again');
});

test('transcripts.zip ends when its caller disconnects or a clip is erased', async () => {
  const project = await clipsOf(54_000);
  const gone = new AbortController();
  const pieces = piecesOf(project, undefined, gone.signal)[Symbol.asyncIterator]();
  assert.equal(
    (await pieces.next()).value?.chunk.length,
    0,
    'the first chunk comes before the first transcript is read',
  );
  gone.abort(new Error('the caller left'));
  await assert.rejects(pieces.next(), /the caller left/);
  for (const index of all) await project.change(index, { $set: { transcriptText: long() } });
  const erased = piecesOf(project)[Symbol.asyncIterator]();
  // After 10 chunks, the export has read the list of its clips.
  for (let chunks = 0; chunks < 10; chunks += 1) await erased.next();
  await project.erase(CLIPS - 1);
  await assert.rejects(async () => {
    while (!(await erased.next()).done);
  }, /ask for the export again/);
});

test('transcripts.zip takes one of the export slots, and refuses too many clips', async () => {
  const project = await clipsOf(55_000, undefined, 3);
  const first = piecesOf(project)[Symbol.asyncIterator]();
  await first.next();
  await assert.rejects(zipOf(project), { code: 'too_many' });
  await first.return?.();
  const figures = (completed: number, selected: number) => ({
    count: async () => new Map([[project.projectId, { total: 50_000, selected, byTranscript: { completed } }]]),
  });
  const most = LIMITS.transcriptsZipClips;
  const { context } = project;
  const withFigures = (completed: number, selected: number, filter: object) =>
    zipOf(
      {
        ...project,
        context: { ...context, exports: createFairSlots(1), submissions: figures(completed, selected) },
      } as never,
      filter,
    );
  await assert.rejects(withFigures(most + 1, 5, {}), { code: 'conflict', message: /10,000 clips at most/ });
  await assert.rejects(withFigures(most + 1, 5, { selected: false }), { code: 'conflict' });
  assert.ok((await withFigures(most + 1, 5, { selected: true })).length > 0);
  assert.ok((await withFigures(most, 50_000, {})).length > 0);
  const failed = { transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_FAILED };
  assert.ok((await withFigures(most + 1, 5, failed)).length > 0);
});
