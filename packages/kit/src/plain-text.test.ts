import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseControlCharacters } from './plain-text.ts';

const at = (code: number) => `a${String.fromCharCode(code)}b`;

test('control characters of ASCII are refused by the name of their field; white space and the rest of Unicode are not', () => {
  for (let code = 0; code <= 0xff; code++) {
    const isControl = (code < 0x20 && !/\s/.test(String.fromCharCode(code))) || code === 0x7f;
    const check = () => refuseControlCharacters('note', at(code));
    if (isControl)
      assert.throws(check, { code: 'invalid', message: /^note must have no control characters/ }, String(code));
    else check();
  }
  refuseControlCharacters('note', 'Grüße 🎬\u200d\u202e\ufeff');
});
