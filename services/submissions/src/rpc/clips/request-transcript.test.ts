import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import type { Change, Submission } from '../../domain/clips/submission.ts';
import { requestTranscript } from './request-transcript.ts';

/** Requests the transcript of a clip again. Returns the changed clip. */
async function requested(submission: Submission): Promise<Submission> {
  let after = submission;
  const submissions = {
    async change(_key: unknown, decide: (before: Submission) => Change) {
      after = { ...submission, ...decide(submission).set };
      return after;
    },
  };
  const key = { ownerId: submission.ownerId, projectId: submission.projectId, submissionId: submission.id };
  await requestTranscript({ submissions, jobs: { now: async () => now } } as never)(key);
  return after;
}

const failed = (fields: Partial<Submission>) => landed({ transcriptStatus: 'failed', job: undefined, ...fields });

test('a clip whose media failed is processed again for its transcript', async () => {
  const after = await requested(failed({ mediaStatus: 'failed' }));
  assert.deepEqual([after.mediaStatus, after.transcriptStatus, after.job?.kind], ['processing', 'pending', 'media']);
  const withVideo = await requested(failed({ mediaStatus: 'failed', video: object('video') }));
  assert.equal(withVideo.job?.kind, 'media', 'also a clip of which only the sound could not be read');
});

test('a clip whose video is made is not processed again, even while its upload is kept', async () => {
  for (const source of [undefined, object('source')])
    await assert.rejects(requested(failed({ mediaStatus: 'ready', video: object('video'), source })), {
      code: 'conflict',
      message: /sound of this clip could not be read/,
    });
});
