import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backlog } from './backlog.ts';

test('a row for each kind of work, for each of the oldest jobs, and for each that was given back', async () => {
  const at = new Date('2026-01-02T03:04:05Z');
  const job = { projectId: 'p', submissionId: 's', askedAt: at, attempts: 0, givenBack: 3, nextAt: at };
  const counts = { kind: 'media', waiting: 7, paused: 1, published: 2, running: 1, oldestAt: at };
  const getBacklog = async () => ({
    backlogs: [
      {
        ...counts,
        oldest: [{ ...job, state: 'running' }],
        troubled: [{ ...job, problem: 'The store is\u009b away.' }],
      },
    ],
  });
  const { lines } = await backlog({ getBacklog } as never);
  assert.deepEqual(lines, [
    'JOBS   WAITING  PAUSED  PUBLISHED  RUNNING  OLDEST SINCE',
    'media  7        1       2          1        2026-01-02T03:04:05Z',
    '',
    'the oldest:',
    'SUBMISSION ID  JOB    STATE    ASKED FOR',
    's              media  running  2026-01-02T03:04:05Z',
    '',
    'given back by their workers:',
    'SUBMISSION ID  JOB    ATTEMPTS  GIVEN BACK  NEXT TRY              PROBLEM',
    's              media  0         3           2026-01-02T03:04:05Z  The store is  away.',
  ]);
});
