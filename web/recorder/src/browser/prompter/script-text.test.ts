import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, isOnlyBullets, moveOf, pixelsPerSecond, SIZE, SPEED, stepped, wordsIn } from './script-text.ts';

test('empty lines separate paragraphs, and lines with "- " are bullet points', () => {
  assert.deepEqual(blocksOf('One\nmore\r\n\r\n\nTwo\n- a\n-  b\n\n- c\n-d\nafter'), [
    { kind: 'paragraph', text: 'One\nmore' },
    { kind: 'paragraph', text: 'Two' },
    { kind: 'bullets', items: ['a', 'b', 'c'] },
    { kind: 'paragraph', text: '-d\nafter' },
  ]);
  assert.deepEqual(blocksOf(' \n'), []);
  assert.equal(isOnlyBullets(blocksOf('- a\n\n- b')), true);
  assert.equal(isOnlyBullets(blocksOf('- a\n\nb')), false);
  assert.equal(isOnlyBullets([]), false);
});

test('words are counted in every writing', () => {
  assert.equal(wordsIn("It's a well-known fact, isn't it?"), 6);
  assert.equal(wordsIn('こんにちは世界'), 4);
  assert.equal(wordsIn('Grüße 2 you'), 3);
  assert.equal(wordsIn('— …'), 0);
});

test('a text passes in the time that its words take', () => {
  assert.equal(pixelsPerSecond(1_200, 120, 120), 20);
  assert.equal(pixelsPerSecond(1_200, 0, 120), 0);
  assert.equal(stepped(SPEED, 235, 1), 240);
  assert.equal(stepped(SIZE, 20, -1), 20);
});

test('keyboards and pedals move the text; shortcuts of the browser stay', () => {
  const key = (name: string, ctrlKey = false) => moveOf({ key: name, altKey: false, ctrlKey, metaKey: false });
  assert.deepEqual(
    [' ', 'ArrowDown', 'ArrowLeft', 'PageDown', 'PageUp', 'Enter', 'a'].map(name => key(name)),
    ['toggle', 'lineDown', 'lineUp', 'pageDown', 'pageUp', undefined, undefined],
  );
  assert.equal(key('ArrowDown', true), undefined);
});
