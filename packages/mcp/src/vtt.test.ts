import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cuesOf, momentsOf } from './vtt.ts';

const VTT = `WEBVTT

00:00.400 --> 00:02.100
Good morning &amp; welcome

00:02.500 --> 00:04.000
to our bakery. We open
at six

01:00:05.250 --> 01:00:06.000
The GRÜSSE &lt;end&gt;
`;

test('reads the cues of a transcript', () => {
  assert.deepEqual(cuesOf(VTT), [
    { fromSec: 0.4, toSec: 2.1, text: 'Good morning & welcome' },
    { fromSec: 2.5, toSec: 4, text: 'to our bakery. We open at six' },
    { fromSec: 3605.25, toSec: 3606, text: 'The GRÜSSE <end>' },
  ]);
  assert.deepEqual(cuesOf(''), []);
  assert.deepEqual(cuesOf('no times'), []);
});

test('finds a sentence that two cues share, and words in any case', () => {
  const cues = cuesOf(VTT);
  assert.deepEqual(momentsOf(cues, 'welcome bakery')[0], {
    fromSec: 0.4,
    toSec: 4,
    text: 'Good morning & welcome to our bakery. We open at six',
  });
  assert.deepEqual(
    momentsOf(cues, 'gru\u0308sse').map(({ fromSec }) => fromSec),
    [3605.25],
  );
  assert.deepEqual(momentsOf(cues, 'absent'), []);
  const many = Array.from({ length: 50 }, (_, at) => ({ fromSec: at, toSec: at + 1, text: at === 30 ? 'a b' : 'a' }));
  const found = momentsOf(many, 'a b').map(({ fromSec }) => fromSec);
  assert.equal(found.length, 3);
  assert.ok(found.includes(29) && found.includes(30), `${found}`);
});
