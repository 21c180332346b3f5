import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MediaStatus, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import {
  csvCell,
  csvHeader,
  csvRow,
  exportDocumentEntry,
  exportDocumentHead,
  exportDocumentLinks,
  exportDocumentTail,
  exportDocumentTerms,
  transcriptsEntry,
  transcriptsHead,
} from './export.ts';
import { presentRecipient, presentSubmission } from './present.ts';
import type { ProjectDetailJson, ProjectLinksJson } from './resources/project.ts';
import type { SubmissionJson } from './resources/submission.ts';
import { webhookBody } from './webhook.ts';

const submission = (more: Partial<SubmissionJson> = {}): SubmissionJson => ({
  ...presentSubmission(
    {
      submissionId: '1',
      videoId: '2',
      linkId: '3',
      responseId: '6',
      projectId: '4',
      ownerId: '5',
      createdAt: new Date(0),
      selected: true,
      transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
      transcriptText: 'words',
      transcriptVtt: 'WEBVTT',
      hasThumbnails: false,
      hasAudio: false,
      mediaStatus: MediaStatus.MEDIA_STATUS_READY,
      incomplete: false,
      sha256: 'ab',
    },
    { baseUrl: 'https://rec.example', projectName: 'P' },
  ),
  ...more,
});

test('the header has the contract’s fields in order, without the WebVTT, then the additional fields, flat', () => {
  assert.equal(
    csvHeader(),
    'submissionId,videoId,tokenId,projectId,projectName,responseSessionId,questionIndex,questionText,createdAt,durationSec,fileSize,mimeType,note,reviewNote,selected,transcriptStatus,transcriptText,transcriptError,termsAccepted,transcriptTextUrl,transcriptVttUrl,videoUrl,thumbnailStartUrl,thumbnailMiddleUrl,thumbnailEndUrl,audioUrl,mediaStatus,mediaError,incomplete,sha256,termsSha256,termsAcceptedAt,language,responseId,recipientName,recipientReference,recipientEmail,recipientLocale,recipientVerified,metadata,late,changedAt,sandbox,rating,answerMode,signed\r\n',
  );
  const row = csvRow(submission({ terms: { sha256: 'cd', acceptedAt: 'then' }, language: 'de' }));
  assert.equal(row.split(',').length, csvHeader().split(',').length);
  assert.ok(row.endsWith(',"cd","then","de","6",,,,,,"{}",false,"1970-01-01T00:00:00.000Z",false,,,false\r\n'), row);
});

const PERSON = { name: '=Guest "1"', reference: 'P-17', email: '', locale: 'de', verified: true };

test('a row and an entry of the transcripts have the person', () => {
  const invitation = { person: PERSON, metadata: { 'a;b': '=1,2' } };
  const row = csvRow(submission({ recipient: presentRecipient(invitation), metadata: invitation.metadata }));
  const cells = [`"'=Guest ""1"""`, '"P-17"', '', '"de"', 'true', '"{""a;b"":""=1,2""}"', 'false'];
  assert.ok(row.endsWith(`,${cells.join(',')},"1970-01-01T00:00:00.000Z",false,,,false\r\n`), row);
  const entry = (person: object) =>
    transcriptsEntry(submission({ recipient: presentRecipient({ person: { ...PERSON, ...person }, metadata: {} }) }));
  assert.match(entry({ name: 'A\nguest' }), /\nPerson: {5}A guest \(P-17\)\n/);
  assert.match(entry({ name: '' }), /\nPerson: {5}P-17\n/);
  assert.match(entry({ reference: '' }), /\nPerson: {5}=Guest "1"\n/);
  assert.doesNotMatch(entry({ name: '', reference: '' }), /Person/);
  assert.doesNotMatch(transcriptsEntry(submission()), /Person/);
});

const CELLS: [value: string | number | boolean | null, cell: string][] = [
  ['plain', '"plain"'],
  ['', '""'],
  [null, ''],
  [0, '0'],
  [-1, '-1'],
  [true, 'true'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['a\nb', '"a\nb"'],
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['＝1+1', `"'＝1+1"`],
  ['＋1', `"'＋1"`],
  ['－1', `"'－1"`],
  ['＠SUM(A1)', `"'＠SUM(A1)"`],
  ['\t=1', `"'\t'=1"`],
  ['\r=1', `"'\r'=1"`],
  ['\n=1', `"'\n'=1"`],
  ['a;"=1;b', `"a;'""=1;b"`],
  ['x\t=1\ty', `"x\t'=1\ty"`],
  ['y\n=1\nz', `"y\n'=1\nz"`],
  ['\nplain', `"'\nplain"`],
  ['  =1', `"'  =1"`],
  ['\u00a0\u200b\ufeff=1', `"'\u00a0\u200b\ufeff=1"`],
  ['  plain', '"  plain"'],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ['a=1', '"a=1"'],
  ['hello;=cmd|x', `"hello;'=cmd|x"`],
  ['hello; ＝1\n-2;b', `"hello;' ＝1\n'-2;b"`],
  ['=A1;=B1', `"'=A1;'=B1"`],
  ['one; two', '"one; two"'],
];
for (const [value, cell] of CELLS) {
  test(`the cell of ${JSON.stringify(value)}`, () => assert.equal(csvCell(value), cell));
}

/** Splits a row like a spreadsheet that uses a different separator and reads quotes only at the start of a cell. */
function cellsAt(row: string, separator: string): string[] {
  const cells: string[] = [];
  let [cell, quoted, start] = ['', false, true];
  for (const letter of row) {
    if (quoted) {
      if (letter === '"') quoted = false;
      else cell += letter;
    } else if (start && letter === '"') quoted = true;
    else if (letter === separator || letter === '\n') {
      cells.push(cell);
      [cell, start] = ['', true];
      continue;
    } else cell += letter;
    start = false;
  }
  return cells;
}

test('no text of a contributor starts another cell when the separator is a semicolon', () => {
  for (const text of [
    'hello;=cmd|x',
    'hello; +1;x',
    'x\n=1+1;x',
    'x\r\n＝1;x',
    'x;\t@A1',
    'x;\u200b-1',
    '";=1',
    '""";=1;"',
  ]) {
    for (const field of ['note', 'questionText', 'transcriptText', 'projectName', 'mimeType', 'language'])
      for (const cell of cellsAt(csvRow(submission({ [field]: text })), ';'))
        assert.doesNotMatch(cell, /^[\s\u200b]*[=+\-@＝＋－＠]/, `${field}: ${JSON.stringify(text)}`);
  }
});

test('every text of a row is guarded, whatever its source', () => {
  for (const field of [
    'note',
    'reviewNote',
    'questionText',
    'transcriptText',
    'transcriptError',
    'projectName',
    'mimeType',
  ]) {
    assert.ok(csvRow(submission({ [field]: '=1' })).includes(`,"'=1",`), field);
  }
});

test('the pieces of export.json make one document', async () => {
  const project = { projectId: '4' } as ProjectDetailJson;
  const written = async (links: ProjectLinksJson[] | null, submissions: SubmissionJson[]) => {
    return JSON.parse(
      exportDocumentHead({ exportedAt: new Date(0), project }) +
        (await Array.fromAsync(exportDocumentLinks(links))).join('') +
        exportDocumentTerms({ cd: 'text' }) +
        submissions.map((each, index) => exportDocumentEntry(each, index === 0)).join('') +
        exportDocumentTail(),
    );
  };
  const whole = [submission(), submission({ note: '"]}' })];
  const expected = {
    version: '1.0.0',
    exportedAt: '1970-01-01T00:00:00.000Z',
    project,
    links: null,
    terms: { cd: 'text' },
  };
  assert.deepEqual(await written(null, []), { ...expected, submissions: [] });
  const page = (...linkIds: string[]) =>
    ({ projectId: '4', sharedLink: null, recipientUrls: linkIds.map(tokenId => ({ tokenId })) }) as ProjectLinksJson;
  const shared = { tokenId: 's' } as ProjectLinksJson['sharedLink'];
  for (const [pages, recipientUrls, sharedLink] of [
    [[page()], [], null],
    [
      [{ ...page('1', '2'), sharedLink: shared }, page(), page('3')],
      [{ tokenId: '1' }, { tokenId: '2' }, { tokenId: '3' }],
      shared,
    ],
  ] as const)
    assert.deepEqual(await written([...pages], whole), {
      ...expected,
      links: { sharedLink, recipientUrls },
      submissions: whole,
    });
});

test('an entry of transcripts.txt has the words, or why there are none', () => {
  assert.equal(transcriptsHead('A\nB'), 'Transcripts of A B\n');
  assert.match(transcriptsEntry(submission()), /Submission: 1\n[\s\S]*\n\nwords\n$/);
  assert.match(transcriptsEntry(submission({ transcriptText: '' })), /No speech was heard/);
  assert.match(transcriptsEntry(submission({ transcriptStatus: 'pending' })), /not made yet/);
  assert.match(transcriptsEntry(submission({ transcriptStatus: null })), /no sound/);
  assert.match(transcriptsEntry(submission({ transcriptStatus: 'failed', transcriptError: 'why' })), /failed: why/);
  const withNotes = transcriptsEntry(submission({ note: 'Mine', reviewNote: 'For the\nfront page' }));
  assert.match(
    withNotes,
    /Note: +Mine\nReview: +For the front page\n\nwords\n$/,
    'the review note is included in exports',
  );
  assert.match(transcriptsEntry(submission({ questionIndex: 1, questionText: 'Q?' })), /Question 2: Q\?/);
});

test('the body of an event', () => {
  const about = { id: 'e', createdAt: new Date(0), projectId: '4', projectName: 'P', sandbox: false };
  assert.equal(
    JSON.stringify(webhookBody(about, { type: 'webhook.test' })),
    '{"id":"e","type":"webhook.test","createdAt":"1970-01-01T00:00:00.000Z","data":{"projectId":"4","projectName":"P","submission":null,"sandbox":false}}',
  );
});
