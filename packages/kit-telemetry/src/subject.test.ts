import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7 } from '@recording-request/kit/ids';
import { subjectAttributes } from './subject.ts';

test('a span has the ids of its clip, its upload and its project, and nothing that may be a token', () => {
  const [projectId, submissionId, uploadId] = [uuidv7(), uuidv7(), uuidv7()];
  assert.deepEqual(subjectAttributes({ projectId, submissionId, uploadId, token: 'vr_secret', note: 'text' }), {
    'recording.project.id': projectId,
    'recording.submission.id': submissionId,
    'recording.upload.id': uploadId,
  });
  assert.deepEqual(subjectAttributes({ projectId: 'prj_secret', submissionId: '' }), {});
  assert.deepEqual(subjectAttributes(undefined), {});
});
