import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backlog } from './backlog.ts';

test('a line for each kind of work, and one for each job that was given back', async () => {
  const at = new Date('2026-01-02T03:04:05Z');
  const job = { projectId: 'p', submissionId: 's', askedAt: at, attempts: 0, givenBack: 3, nextAt: at };
  const counts = { kind: 'media', waiting: 7, paused: 1, published: 2, running: 1, oldestAt: at };
  const getBacklog = async () => ({
    backlogs: [{ ...counts, troubled: [{ ...job, problem: 'The store is\u009b away.' }] }],
  });
  const { lines } = await backlog({ getBacklog } as never);
  assert.deepEqual(lines, [
    'media: 7 waiting, 1 paused after a problem, 2 published, 1 running, the oldest since 2026-01-02T03:04:05.000Z',
    '  s  0 attempts, given back 3 times, next 2026-01-02T03:04:05.000Z  The store is  away.',
  ]);
});
