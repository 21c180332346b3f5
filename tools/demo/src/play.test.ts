import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlay } from './play.ts';

test('reports every ten seconds that a long step still runs, until it ends', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const { play, played } = createPlay(line => lines.push(line), new AbortController().signal);
  await play('clips made', async note => {
    t.mock.timers.tick(9_999);
    assert.deepEqual(lines, []);
    note('3 of 8');
    t.mock.timers.tick(10_001);
  });
  t.mock.timers.tick(60_000);
  assert.deepEqual(
    lines.map(line => line.replace(/\s+[\d.]+ s/, '')),
    ['…  clips made: 3 of 8', '…  clips made: 3 of 8', '✓  clips made: 3 of 8'],
  );
  assert.equal(played.length, 1);
});
