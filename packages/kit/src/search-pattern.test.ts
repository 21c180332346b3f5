import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf, wordsOf } from './search-pattern.ts';

const finds = (word: string, text: string): boolean => new RegExp(patternOf(word), 'i').test(text);

test('a search has words between any white space, and only the first ones count', () => {
  assert.deepEqual(wordsOf(' a\u00a0b\0c\nd e ', 4), ['a', 'b', 'c', 'd']);
  assert.deepEqual(wordsOf(' ', 4), []);
});

test('words of plain letters are their own pattern', () => {
  for (const word of ['front', 'brot', 'мир', '42']) assert.equal(patternOf(word), word);
  assert.equal(patternOf('FRONT'), 'front');
});

test('capitals of ß and ligatures are found either way', () => {
  for (const word of ['GRÜSSE', 'Grüße', 'grüẞe', 'gru\u0308sse'])
    for (const text of ['GRÜSSE', 'Grüße', 'Gru\u0308ße', 'GRU\u0308SSE'])
      assert.ok(finds(word, text), `${word} in ${text}`);
  assert.ok(finds('office', 'oﬃce') && finds('oﬃce', 'OFFICE'));
  assert.ok(!finds('Grüße', 'Gruse'));
});

test('no character of a word acts as a pattern', () => {
  for (const word of ['.*', '^f', 'e$', '[a-z]', '\\w', 'x|front', '(?i)', 'a{2}', 'ß+'])
    assert.ok(!finds(word, 'front aa ssss') && finds(word, `_${word}_`), word);
});
