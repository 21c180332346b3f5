import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, darkened, inkOn, isColour, lightened } from './colour.ts';

test('the contrast matches WCAG, in either order', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#ffffff', '#ffffff'), 1);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  assert.equal(contrast('#ffffff', '#777777').toFixed(2), '4.48');
});

test('text is readable on any colour', () => {
  for (let red = 0; red < 256; red += 15) {
    for (let green = 0; green < 256; green += 15) {
      const colour = `#${[red, green, 128].map(value => value.toString(16).padStart(2, '0')).join('')}`;
      assert.ok(contrast(colour, inkOn(colour)) >= 4.5, colour);
    }
  }
});

test('a dark colour becomes lighter only as far as a dark background requires', () => {
  assert.equal(lightened('#ff8800', '#121518', 3), '#ff8800');
  const lighter = lightened('#1a1a40', '#121518', 3);
  assert.ok(isColour(lighter));
  assert.ok(contrast(lighter, '#121518') >= 3);
  assert.ok(contrast(lighter, '#121518') < 4);
});

test('a light colour becomes darker only as far as a light background requires', () => {
  assert.equal(darkened('#0b6b74', '#eceae4', 4.5), '#0b6b74');
  const darker = darkened('#ff8800', '#eceae4', 4.5);
  assert.ok(isColour(darker));
  assert.ok(contrast(darker, '#eceae4') >= 4.5);
  assert.ok(contrast(darker, '#eceae4') < 5.5);
});

test('a colour has six hexadecimal digits', () => {
  assert.deepEqual(['#0b6b74', '#0B6B74', '#fff', 'red', '#0b6b74;}', '0b6b74'].map(isColour), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
