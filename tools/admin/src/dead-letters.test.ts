import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type { DeadLetter } from '@recording-request/proto/operator/v1/submissions';
import { type DeadLetters, runDeadLetters } from './dead-letters.ts';

const letter = (offset: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  deadLetterId: `media.work-1-${offset}-media`,
  topic: 'media.work',
  partition: 1,
  offset: String(offset),
  group: 'media',
  reason: 'after 8 attempts: no\u001b[2J room',
  at: new Date('2030-01-02T03:04:05Z'),
  eventType: 'submission.media.requested',
  projectId: 'P',
  submissionId: 'S',
  valueBytes: 1_234,
  ...more,
});

/** Returns a service with these dead letters, the newest first, in pages of two. */
function having(letters: DeadLetter[]) {
  const replayed: string[] = [];
  const find = ({ deadLetterId }: { deadLetterId: string }) => {
    const deadLetter = letters.find(each => each.deadLetterId === deadLetterId);
    if (!deadLetter) throw new DomainError('not_found', 'There is no such dead letter.');
    return deadLetter;
  };
  const service: DeadLetters = {
    async listDeadLetters({ pageSize, cursor, oldestFirst }) {
      const rows = oldestFirst ? letters.toReversed() : letters;
      const from = Number(cursor);
      const to = from + Math.min(2, pageSize);
      return { deadLetters: rows.slice(from, to), nextCursor: to < rows.length ? String(to) : '' };
    },
    getDeadLetter: async request => ({ deadLetter: find(request) }),
    async replayDeadLetter(request) {
      replayed.push(request.deadLetterId);
      return { deadLetter: { ...find(request), replayedAt: new Date(0) } };
    },
    dropDeadLetter: async request => ({ deadLetter: { ...find(request), droppedAt: new Date(0) } }),
  };
  return { service, replayed };
}

test('lists dead letters over pages, up to the limit, without terminal control characters', async () => {
  const { service } = having([5, 4, 3].map(offset => letter(offset)));
  const all = await runDeadLetters(service, { name: 'dead-letters list', limit: 100 });
  assert.deepEqual(all.lines.slice(0, 2), [
    'DEAD LETTER ID        FAILED                EVENT                       REASON',
    'media.work-1-5-media  2030-01-02T03:04:05Z  submission.media.requested  after 8 attempts: no [2J room',
  ]);
  assert.equal(all.lines.length, 4);
  const some = await runDeadLetters(service, { name: 'dead-letters list', limit: 1 });
  assert.deepEqual([some.lines.length, some.lines[2]], [3, 'and older ones: --limit 10 shows more']);
  const none = await runDeadLetters(having([]).service, { name: 'dead-letters list', limit: 100 });
  assert.deepEqual(none, { lines: ['no dead letters'], value: [] });
});

test('shows, replays and drops one; reports an unknown one', async () => {
  const { service, replayed } = having([letter(5)]);
  const id = 'media.work-1-5-media';
  const { lines } = await runDeadLetters(service, { name: 'dead-letters show', id });
  assert.match(lines.join('\n'), /^id +media.work-1-5-media\n.*\nsize +1,234 bytes\nstate +waits$/s);
  assert.match((await runDeadLetters(service, { name: 'dead-letters drop', id })).lines[0]!, /dropped 1970/);
  assert.match((await runDeadLetters(service, { name: 'dead-letters replay', id })).lines[0]!, /replayed 1970/);
  assert.deepEqual(replayed, [id]);
  await assert.rejects(runDeadLetters(service, { name: 'dead-letters show', id: 'x' }), /no such dead letter/);
});

test('replays all, the oldest first, except those whose content is not kept or that ended meanwhile', async () => {
  const { service, replayed } = having([letter(5), letter(4, { valueBytes: 0 }), letter(3), letter(2)]);
  const ended: DeadLetters = {
    ...service,
    async replayDeadLetter(request) {
      if (request.deadLetterId.includes('-3-')) throw new DomainError('gone', 'It was dropped.');
      return await service.replayDeadLetter(request);
    },
  };
  const { lines, value } = await runDeadLetters(ended, { name: 'dead-letters replay', id: 'all' });
  assert.deepEqual(replayed, ['media.work-1-2-media', 'media.work-1-5-media']);
  assert.deepEqual(lines, ['2 replayed; 2 could not be, as their content is not kept']);
  assert.deepEqual(value, { replayed: 2, left: 2 });
});

test('replays each one only once, and reports its progress on an outage', async () => {
  const letters = [letter(5), letter(4)];
  const { service, replayed } = having(letters);
  const failingAgain: DeadLetters = {
    ...service,
    async replayDeadLetter(request) {
      letters.unshift(letter(letters.length + 10, { at: new Date('2030-01-02T03:05:00Z') }));
      return await service.replayDeadLetter(request);
    },
  };
  await runDeadLetters(failingAgain, { name: 'dead-letters replay', id: 'all' });
  assert.deepEqual(replayed, ['media.work-1-4-media', 'media.work-1-5-media']);

  const away: DeadLetters = {
    ...having([letter(5), letter(4)]).service,
    async replayDeadLetter({ deadLetterId }) {
      if (deadLetterId.includes('-5-')) throw new DomainError('unavailable', 'Try again in a moment.');
      return { deadLetter: letter(4) };
    },
  };
  await assert.rejects(runDeadLetters(away, { name: 'dead-letters replay', id: 'all' }), {
    message: '1 replayed, the rest not: Try again in a moment.',
  });
});
