import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { announceResponse } from './announce-response.ts';

const LAST = { id: 'b', projectId: 'p', linkId: 'l', responseId: 'r', interview: {} } as unknown as Submission;

/** Returns the ids in the announcement of a complete interview of a and b; undefined when it was not announced. */
async function announced(missing: string[], landing: number[] = []): Promise<string[] | undefined> {
  const answers = ['a', 'b'].map((submissionId, questionIndex) => ({ submissionId, questionIndex }));
  let ids: string[] | undefined;
  await announceResponse(
    {
      projects: { getResponse: async () => ({ response: { complete: true, answers } }) },
      uploads: { landingQuestions: async () => landing },
      submissions: {
        missing: async () => missing,
        announce: async (_key: unknown, event: { submissionIds: string[] }) => {
          ids = event.submissionIds;
        },
      },
    } as unknown as Pick<Context, 'projects' | 'submissions' | 'uploads'>,
    LAST,
  );
  return ids;
}

test('a complete interview is announced with the answers that can be fetched', async () => {
  assert.deepEqual(await announced([]), ['a', 'b']);
  assert.deepEqual(await announced(['a']), ['b'], 'an erased answer is not named');
  assert.equal(await announced(['a'], [0]), undefined, 'an answer that is still landing delays the announcement');
  assert.equal(await announced(['a', 'b']), undefined, 'nothing is announced without a remaining answer');
});
