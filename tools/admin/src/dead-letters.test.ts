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

/** A service that has these dead letters, in pages of two. */
function having(letters: DeadLetter[]) {
  const replayed: string[] = [];
  const find = ({ deadLetterId }: { deadLetterId: string }) => {
    const deadLetter = letters.find(each => each.deadLetterId === deadLetterId);
    if (!deadLetter) throw new DomainError('not_found', 'There is no such dead letter.');
    return deadLetter;
  };
  const service: DeadLetters = {
    async listDeadLetters({ pageSize, cursor }) {
      const from = Number(cursor);
      const to = from + Math.min(2, pageSize);
      return { deadLetters: letters.slice(from, to), nextCursor: to < letters.length ? String(to) : '' };
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

test('dead letters are listed over pages, up to the limit, and cannot speak to the terminal', async () => {
  const { service } = having([5, 4, 3].map(offset => letter(offset)));
  const all = await runDeadLetters(service, { name: 'dead-letters list', limit: 100 });
  assert.equal(all.lines.length, 3);
  assert.equal(
    all.lines[0],
    'media.work-1-5-media  2030-01-02T03:04:05.000Z  submission.media.requested  after 8 attempts: no [2J room',
  );
  const some = await runDeadLetters(service, { name: 'dead-letters list', limit: 1 });
  assert.deepEqual([some.lines.length, some.lines[1]], [2, 'and older ones: --limit 10 shows more']);
  const none = await runDeadLetters(having([]).service, { name: 'dead-letters list', limit: 100 });
  assert.deepEqual(none, { lines: ['no dead letters'], value: [] });
});

test('one is shown, replayed and dropped; an unknown one is said', async () => {
  const { service, replayed } = having([letter(5)]);
  const id = 'media.work-1-5-media';
  const { lines } = await runDeadLetters(service, { name: 'dead-letters show', id });
  assert.match(lines.join('\n'), /^id +media.work-1-5-media\n.*\nsize +1,234 bytes\nstate +waits$/s);
  assert.match((await runDeadLetters(service, { name: 'dead-letters drop', id })).lines[0]!, /dropped 1970/);
  assert.match((await runDeadLetters(service, { name: 'dead-letters replay', id })).lines[0]!, /replayed 1970/);
  assert.deepEqual(replayed, [id]);
  await assert.rejects(runDeadLetters(service, { name: 'dead-letters show', id: 'x' }), /no such dead letter/);
});

test('all are replayed but those whose content is not kept', async () => {
  const { service, replayed } = having([letter(5), letter(4, { valueBytes: 0 }), letter(3)]);
  const { lines } = await runDeadLetters(service, { name: 'dead-letters replay', id: 'all' });
  assert.deepEqual(lines, ['2 replayed; 1 cannot be replayed, as their content is not kept']);
  assert.deepEqual(replayed, ['media.work-1-5-media', 'media.work-1-3-media']);
});
