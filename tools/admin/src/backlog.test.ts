import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backlog } from './backlog.ts';
import { helpOn } from './help.ts';

const JOBLESS = { kind: 'media', waiting: 0, paused: 0, running: 0, oldest: [], troubled: [] };

test('shows a row for each kind of work, each of the oldest jobs, and each job that a worker gave back', async () => {
  const at = new Date('2026-01-02T03:04:05Z');
  const job = { projectId: 'p', submissionId: 's', askedAt: at, attempts: 0, givenBack: 3, nextAt: at };
  const counts = { kind: 'media', waiting: 7, paused: 1, running: 1, oldestAt: at };
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
    'JOBS   WAITING  PAUSED  RUNNING  OLDEST SINCE',
    'media  7        1       1        2026-01-02T03:04:05Z',
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

test('the help explains each column', async () => {
  const { lines } = await backlog({ getBacklog: async () => ({ backlogs: [JOBLESS] }) } as never);
  for (const column of lines[0]!.split(/ {2,}/))
    assert.match(helpOn('backlog'), new RegExp(`^ {2}${column} {2,}\\w`, 'm'));
});
