import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok, refused } from '@recording-request/harness/http-client';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { until } from '@recording-request/testing/wait';
import { inParallel, SYSTEM_WAIT } from '../harness/limits.ts';
import { readCsv, readCsvs, readZip } from '../harness/python.ts';
import { type SeedData, submissionsOf } from '../harness/seed.ts';
import { Submission as FIELDS } from '../harness/shapes.ts';
import { guarded, PAYLOADS, startsFormula } from './spreadsheet-payloads.ts';

const FIRST = 22;
const PAGE = 7;
const LANDING_AT_ONCE = 4;
const CUTS = 25;
// The fields that the contract got after the fields of the terms. They follow those fields in the CSV.
const ADDED = [
  'language',
  'responseId',
  'recipient',
  'metadata',
  'late',
  'changedAt',
  'sandbox',
  'rating',
  'answerMode',
  'signed',
];
const HEADER = [
  ...Object.keys(FIELDS).filter(field => !['transcriptVtt', 'terms', ...ADDED].includes(field)),
  ...['termsSha256', 'termsAcceptedAt', 'language', 'responseId'],
  ...['recipientName', 'recipientReference', 'recipientEmail', 'recipientLocale', 'recipientVerified'],
  ...['metadata', 'late', 'changedAt', 'sandbox', 'rating', 'answerMode', 'signed'],
];

/** Tests pages, filters and the four exports of an interview with one answer for each spreadsheet payload. */
export function exports(seed: SeedData): void {
  const { ada, mute, system } = seed;
  let project: ProjectCreatedJson;
  let path: string;
  let link: string;
  let response: string;
  let all: SubmissionJson[] = [];
  const land = (indexes: number[]) =>
    inParallel(indexes, LANDING_AT_ONCE, questionIndex =>
      sendClip(link, mute, { responseSessionId: response, questionIndex, note: PAYLOADS[questionIndex] }),
    );
  const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

  describe('pages', () => {
    const before: string[] = [];
    test('half of an interview is answered', async () => {
      project = await ada.createProject({
        projectName: 'Interview',
        count: 1,
        noteEnabled: true,
        interviewQuestions: PAYLOADS,
      });
      path = `/api/projects/${project.projectId}`;
      link = project.recipientUrls[0]!.recipientUrl;
      response = await beginResponse(link);
      before.push(...(await land(indexes(0, FIRST))));
    });

    test('reading all pages returns each earlier clip once', async () => {
      const seen: string[] = [];
      let landed = FIRST;
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
        const page = ok(await ada.ask(`${path}/submissions?limit=${PAGE}${query}`));
        seen.push(...page.submissions.map((each: SubmissionJson) => each.submissionId));
        cursor = page.pagination.nextCursor;
        await land(indexes(landed, Math.min(landed + 3, PAYLOADS.length)));
        landed = Math.min(landed + 3, PAYLOADS.length);
      }
      assert.deepEqual([...seen].sort(), [...before].sort());
      assert.deepEqual(seen, [...seen].sort().reverse(), 'newest first');
      await land(indexes(landed, PAYLOADS.length));
    });

    test('the list has each clip once, with its question and note', async () => {
      all = await until(
        'the media of all clips',
        async () => {
          const found = await submissionsOf(ada, project.projectId);
          return found.every(each => each.mediaStatus !== 'processing') && found;
        },
        SYSTEM_WAIT,
      );
      assert.equal(all.length, PAYLOADS.length);
      for (const each of all) {
        assert.equal(each.mediaStatus, 'ready');
        assert.equal(each.responseSessionId, response);
        assert.equal(each.questionText, PAYLOADS[each.questionIndex!]);
        assert.equal(each.note, PAYLOADS[each.questionIndex!]);
      }
      assert.equal(new Set(all.map(each => each.questionIndex)).size, PAYLOADS.length);
    });

    test('the default page has fifty clips, the largest a hundred', async () => {
      assert.equal(ok(await ada.ask(`${path}/submissions`)).submissions.length, PAYLOADS.length);
      const page = ok(await ada.ask(`${path}/submissions?limit=1`));
      assert.equal(page.submissions.length, 1);
      assert.equal(typeof page.pagination.nextCursor, 'string');
    });
  });

  describe('filters', () => {
    test('the list, the ZIP and the transcripts can be limited to the selection', async () => {
      for (const { submissionId } of all.slice(0, 5)) {
        ok(await ada.ask(`${path}/submissions/${submissionId}`, { method: 'PATCH', json: { selected: true } }));
      }
      all = await submissionsOf(ada, project.projectId);
      for (const selected of [true, false]) {
        const want = all.filter(each => each.selected === selected).map(each => each.submissionId);
        assert.equal(want.length, selected ? 5 : PAYLOADS.length - 5);
        const query = `selected=${selected}`;
        const listed = await submissionsOf(ada, project.projectId, `&${query}`);
        assert.deepEqual(
          listed.map(each => each.submissionId),
          want,
        );
        const zip = await ada.ask(`${path}/export/project.zip?${query}`);
        const { entries } = await readZip(system.scratch, zip.bytes);
        const videos = entries.filter(each => each.name.startsWith('videos/')).map(each => each.name);
        assert.equal(videos.length, want.length);
        const json = JSON.parse(entries.find(each => each.name === 'project.json')!.text!);
        assert.deepEqual(idsOf(json.submissions), [...want].sort());
        const text = (await ada.ask(`${path}/export/transcripts.txt?${query}`)).text();
        for (const each of all) assert.equal(text.includes(each.submissionId), want.includes(each.submissionId));
      }
    });

    test('link, media state and time filter the list', async () => {
      const idsFor = async (query: string) =>
        (await submissionsOf(ada, project.projectId, `&${query}`)).map(each => each.submissionId);
      const every = all.map(each => each.submissionId);
      const middle = all[20]!;
      const linkIds = [...new Set(all.map(each => each.tokenId))];
      assert.deepEqual(await idsFor(`tokenId=${linkIds[0]}`), every);
      assert.deepEqual(await idsFor('tokenId=01900000-0000-7000-8000-000000000000'), []);
      assert.deepEqual([await idsFor('mediaStatus=ready'), await idsFor('mediaStatus=failed')], [every, []]);
      const later = all.filter(each => each.createdAt > middle.createdAt).map(each => each.submissionId);
      assert.deepEqual(await idsFor(`createdAfter=${middle.createdAt}`), later);
      const earlier = all.filter(each => each.createdAt < middle.createdAt).map(each => each.submissionId);
      assert.deepEqual(await idsFor(`createdBefore=${middle.createdAt}`), earlier);
      const before = new Date().toISOString();
      assert.deepEqual(await idsFor(`changedAfter=${before}`), []);
      const one = `${path}/submissions/${middle.submissionId}`;
      const changed = ok(await ada.ask(one, { method: 'PATCH', json: { reviewNote: 'Seen' } }));
      assert.deepEqual(await idsFor(`changedAfter=${before}`), [middle.submissionId]);
      assert.deepEqual(ok(await ada.ask(one)), changed);
      all = await submissionsOf(ada, project.projectId);
    });

    for (const state of ['pending', 'processing', 'completed', 'failed', 'disabled']) {
      test(`transcriptStatus=${state}`, async () => {
        for (const projectId of [project.projectId, seed.full.projectId]) {
          const every = await submissionsOf(ada, projectId);
          const want = every.filter(each => each.transcriptStatus === state).map(each => each.submissionId);
          const got = await submissionsOf(ada, projectId, `&transcriptStatus=${state}`);
          assert.deepEqual(
            got.map(each => each.submissionId),
            want,
          );
          if (state === 'completed' && projectId === seed.full.projectId) assert.equal(want.length, 1);
          const query = `/api/projects/${projectId}/export/transcripts.txt?transcriptStatus=${state}`;
          const text = (await ada.ask(query)).text();
          for (const { submissionId } of every)
            assert.equal(
              text.includes(submissionId),
              want.includes(submissionId),
              'transcripts.txt has the same clips',
            );
        }
      });
    }
  });

  const byDashboard = (file: string, query: string) => seed.ask(`/project/${project.projectToken}/${file}${query}`);

  describe('exports', () => {
    test('a missing transcript, audio or thumbnail returns 404', async () => {
      const [one] = all;
      assert.equal(one!.transcriptStatus, 'disabled');
      assert.equal(one!.audioUrl, null);
      for (const file of ['transcript.txt', 'transcript.vtt', 'transcript.srt', 'audio']) {
        for (const base of [path, `/project/${project.projectToken}`])
          refused(await ada.ask(`${base}/submissions/${one!.submissionId}/${file}`), 404, 'not_found');
      }
    });

    test('exports have their names, types and content', async () => {
      const FILES: [path: string, type: string, suffix: string][] = [
        ['export.json', 'application/json', 'export.json'],
        ['export.csv', 'text/csv', 'submissions.csv'],
        ['export/project.zip', 'application/zip', 'project.zip'],
        ['export/transcripts.txt', 'text/plain', 'transcripts.txt'],
        ['export/transcripts.zip', 'application/zip', 'transcripts.zip'],
      ];
      for (const base of [path, `/project/${project.projectToken}`]) {
        for (const [file, type, suffix] of FILES) {
          const answer = await ada.ask(`${base}/${file}`, { token: base === path ? ada.token : undefined });
          assert.equal(answer.status, 200);
          assert.equal(answer.type, type);
          const name = answer.headers.get('content-disposition') ?? '';
          assert.ok(name.startsWith('attachment;') && name.includes(suffix), name);
        }
      }
      const bundle = ok(await ada.ask(`${path}/export.json`));
      assert.deepEqual(idsOf(bundle.submissions), idsOf(all));
      // No export has the factors of people's time.
      const { timeFactor: _, ...shown } = ok(await ada.ask(path));
      assert.deepEqual(bundle.project, shown);
      const links = ok(await ada.ask(`${path}/links`)).recipientUrls as Record<string, unknown>[];
      assert.deepEqual(
        bundle.links.recipientUrls,
        links.map(({ timeFactor: _, ...link }) => link),
      );
    });

    test('a bundle has links only for a token that may read them', async () => {
      const { secret } = await system.accounts.createToken(ada.userId, { scopes: ['submissions:read'] });
      assert.equal(ok(await ada.ask(`${path}/export.json`, { token: secret })).links, null);
      assert.notEqual(ok(await seed.ask(`/project/${project.projectToken}/export.json`)).links, null);
    });

    test('the ZIP is whole, uncompressed, and has the same bytes each time', async () => {
      const { bytes } = await ada.ask(`${path}/export/project.zip`);
      const { bad, entries } = await readZip(system.scratch, bytes);
      assert.equal(bad, null);
      assert.ok(entries.every(each => each.stored));
      const [json, csv, text, ...videos] = entries;
      assert.deepEqual([json!.name, csv!.name, text!.name], ['project.json', 'submissions.csv', 'transcripts.txt']);
      assert.equal(videos.length, PAYLOADS.length);
      const sizes = new Map(all.map(each => [each.submissionId, each.fileSize]));
      videos.forEach(({ name, size }, at) => {
        const [, number, id] = /^videos\/(\d{4})-([0-9a-f-]{36})\.webm$/.exec(name) ?? [];
        assert.equal(Number(number), at + 1);
        assert.equal(size, sizes.get(id!), name);
      });
      assert.deepEqual(idsOf(JSON.parse(json!.text!).submissions), idsOf(all));
      assert.equal(csv!.text, (await ada.ask(`${path}/export.csv`)).text());
      assert.ok((await ada.ask(`${path}/export/project.zip`)).bytes.equals(bytes));
      // The dashboard's exports ignore filters in the URL.
      const ignored = '?selected=true&transcriptStatus=failed&limit=1&tokenId=x';
      for (const query of ['', ignored])
        assert.ok((await byDashboard('export/project.zip', query)).bytes.equals(bytes), query);
      for (const file of ['export.csv', 'export/transcripts.txt'])
        assert.equal((await byDashboard(file, ignored)).text(), (await ada.ask(`${path}/${file}`)).text(), file);
    });

    test('a cut ZIP resumes at any byte with the same content, by either token', async () => {
      const whole = await ada.ask(`${path}/export/project.zip`);
      const etag = whole.headers.get('etag') ?? '';
      assert.equal(whole.headers.get('content-length'), String(whole.bytes.length));
      const one = `${path}/submissions/${all[1]!.submissionId}`;
      ok(await ada.ask(one, { method: 'PATCH', json: { reviewNote: 'written meanwhile' } }));
      for (const ask of [
        ada.ask,
        (address: string, how: object) => seed.ask(address.replace(path, `/project/${project.projectToken}`), how),
      ]) {
        for (let cut = 0; cut < CUTS; cut++) {
          const start = Math.floor(Math.random() * whole.bytes.length);
          const headers = { range: `bytes=${start}-`, 'if-range': etag };
          const rest = await ask(`${path}/export/project.zip`, { headers });
          assert.equal(rest.status, 206);
          assert.ok(rest.bytes.equals(whole.bytes.subarray(start)), `from byte ${start}`);
        }
      }
      const now = await ada.ask(`${path}/export/project.zip`, { headers: { 'if-none-match': etag } });
      assert.equal(now.status, 200, 'a new download has the note');
      const { entries } = await readZip(system.scratch, now.bytes);
      assert.match(entries[0]!.text!, /written meanwhile/);
      all = await submissionsOf(ada, project.projectId);
    });

    test('the CSV has the contract’s columns, and payloads in notes and questions start no formula', async () => {
      const { bytes } = await ada.ask(`${path}/export.csv`);
      assert.equal(bytes.subarray(0, bytes.indexOf('\r\n')).toString(), HEADER.join(','));
      const rows = await readCsv(system.scratch, bytes);
      assert.equal(rows.length, PAYLOADS.length);
      for (const row of rows) {
        const payload = PAYLOADS[Number(row.questionIndex)]!;
        assert.equal(row.note, guarded(payload));
        assert.equal(row.questionText, guarded(payload));
        for (const [column, cell] of Object.entries(row)) assert.ok(!startsFormula(cell), `${column}: ${cell}`);
      }
      for (const each of all) {
        const row = rows.find(one => one.submissionId === each.submissionId)!;
        for (const field of ['createdAt', 'fileSize', 'mimeType', 'videoUrl', 'selected'] as const) {
          assert.equal(row[field], String(each[field]), field);
        }
      }
    });

    test('the CSV starts with a byte order mark on request', async () => {
      const plain = (await ada.ask(`${path}/export.csv`)).bytes;
      const marked = Buffer.concat([Buffer.from('\ufeff'), plain]);
      assert.ok((await ada.ask(`${path}/export.csv?bom=1`)).bytes.equals(marked));
      assert.ok((await ada.ask(`${path}/export.csv?bom=0`)).bytes.equals(plain));
      assert.ok((await byDashboard('export.csv', '?bom=1&utm_source=mail')).bytes.equals(marked));
    });

    test('payloads in the review note and the project’s name start no formula', async () => {
      const one = all[0]!.submissionId;
      const exported: { payload: string; projectName: string; bytes: Uint8Array }[] = [];
      for (const payload of PAYLOADS) {
        const note = { method: 'PATCH', json: { reviewNote: payload } };
        const name = { method: 'PATCH', json: { projectName: payload } };
        const [noted, named] = await Promise.all([ada.ask(`${path}/submissions/${one}`, note), ada.ask(path, name)]);
        assert.equal(ok(noted).reviewNote, payload);
        const { projectName } = ok(named);
        assert.equal(projectName, payload.trim());
        exported.push({ payload, projectName, bytes: (await ada.ask(`${path}/export.csv`)).bytes });
      }
      const files = await readCsvs(
        system.scratch,
        exported.map(({ bytes }) => bytes),
      );
      for (const [at, { payload, projectName }] of exported.entries()) {
        const row = files[at]!.find(each => each.submissionId === one)!;
        assert.equal(row.reviewNote, guarded(payload));
        assert.equal(row.projectName, guarded(projectName));
        assert.ok(!startsFormula(row.reviewNote!) && !startsFormula(row.projectName!));
      }
    });
  });
}

const idsOf = (submissions: SubmissionJson[]) => submissions.map(each => each.submissionId).sort();
