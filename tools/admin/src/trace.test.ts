import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '@recording-request/kit/command-line';
import { DomainError } from '@recording-request/kit/errors';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { traceUrlOf } from './address.ts';
import { parseCommand } from './command.ts';
import { showTrace, type Traces } from './trace.ts';

const ID = '0199c0de-0000-7000-8000-000000000001';
const PROJECT_ID = '0199c0de-0000-7000-8000-000000000002';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const command = { name: 'trace', id: ID } as const;
const LANDED = { traceId: TRACE_ID, projectId: PROJECT_ID, submissionId: ID, at: new Date('2026-01-02T03:04:05Z') };

const answering = (answer: object | Error): Traces => ({
  async getTrace() {
    if (answer instanceof Error) throw answer;
    return answer as typeof LANDED;
  },
});

test('shows the trace of a landing with its URL, or the variable to set', async () => {
  const shown = await showTrace(answering(LANDED), command, 'http://host/zipkin/traces/{traceId}');
  assert.deepEqual(shown.lines, [
    `TRACE ID       ${TRACE_ID}`,
    `ADDRESS        http://host/zipkin/traces/${TRACE_ID}`,
    `SUBMISSION ID  ${ID}`,
    `PROJECT ID     ${PROJECT_ID}`,
    'LAST BYTE      2026-01-02T03:04:05Z',
  ]);
  assert.equal(shown.note, undefined);
  const plain = await showTrace(answering(LANDED), command, undefined);
  assert.equal(plain.lines.length, 4);
  assert.match(plain.note ?? '', /TRACE_URL/);
});

test('explains each case without a trace', async () => {
  const cases: [object | Error, RegExp][] = [
    [new DomainError('not_found', 'x'), new RegExp(`no submission and no upload with the id ${ID}`)],
    [{ ...LANDED, traceId: '' }, /landed while tracing was off/],
    [{ ...LANDED, traceId: '', submissionId: '', at: undefined }, /not have all of its bytes/],
    [new DomainError('unavailable', 'Away.'), /Away/],
  ];
  for (const [answer, sentence] of cases)
    await assert.rejects(showTrace(answering(answer), command, undefined), { message: sentence });
});

test('refuses a malformed id before any call, and does not print a token', () => {
  assert.throws(() => parseCommand(['trace', 'clip-7']), /ID must be the UUID of a clip or an upload/);
  assert.throws(() => parseCommand(['trace']), /takes ID/);
  const token = `vr_${'a1'.repeat(20)}`;
  assert.throws(
    () => parseCommand(['trace', token]),
    (error: Error) => error instanceof UsageError && !error.message.includes(token),
  );
  assert.deepEqual(parseCommand(['trace', ID]).command, command);
});

test('takes the URL from TRACE_URL or from the store beside `npm start`, never from another system', async () => {
  await using dir = await tempDir();
  const template = 'http://127.0.0.1:9411/zipkin/traces/{traceId}';
  assert.equal(await traceUrlOf({}, dir.path), undefined);
  await writeFile(join(dir.path, 'ready.json'), JSON.stringify({ traceUrl: template }));
  assert.equal(await traceUrlOf({}, dir.path), template);
  assert.equal(await traceUrlOf({ SUBMISSIONS_OPERATOR: 'ours:50052' }, dir.path), undefined);
  const ours = 'https://traces.example.com/{traceId}';
  assert.equal(await traceUrlOf({ TRACE_URL: ours, SUBMISSIONS_OPERATOR: 'ours:50052' }, dir.path), ours);
  for (const wrong of ['https://traces.example.com/', 'traces/{traceId}', 'file:///{traceId}'])
    await assert.rejects(traceUrlOf({ TRACE_URL: wrong }, dir.path), /TRACE_URL must be an absolute/);
});
