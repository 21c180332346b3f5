import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, object } from '../../test/landed-submission.ts';
import { toEvent, toMessage } from './messages.ts';

test('a clip without sound has no transcript status', () => {
  assert.equal(toMessage(landed({ transcriptStatus: 'none' })).transcriptStatus, 0);
});

test('the original upload is what is served until the remux is recorded', () => {
  assert.equal(toMessage(landed()).fileSize, 10);
  assert.equal(toMessage(landed({ video: { ...object('video'), size: 11 } })).fileSize, 11);
});

test('a response session is shown in interviews only', () => {
  assert.equal(toMessage(landed()).responseSessionId, undefined);
  const answer = toMessage(landed({ interview: true, questionIndex: 1, questionText: 'Why?' }));
  assert.deepEqual([answer.responseSessionId, answer.questionIndex, answer.questionText], ['r1', 1, 'Why?']);
});

test('the event of a transcript carries its words', () => {
  const submission = landed({ transcriptStatus: 'completed', transcriptText: 'hello' });
  const { type, payload } = toEvent({ type: 'submission.transcript.completed', submission });
  assert.equal(type, 'submission.transcript.completed');
  assert.ok(payload?.$case === 'submissionTranscript');
  assert.equal(payload.value.submission?.transcriptText, 'hello');
});
