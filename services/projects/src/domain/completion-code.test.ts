import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeAsWritten, codeOf } from './completion-code.ts';

test('a code has eight letters and digits that nobody confuses, and is always the same', () => {
  const code = codeOf('link:session', 0);
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/);
  assert.equal(codeOf('link:session', 0), code);
  assert.notEqual(codeOf('link:session', 1), code);
  assert.notEqual(codeOf('link:another', 0), code);
});

test('a code is found however a person writes it', () => {
  assert.equal(codeAsWritten('oil0abcz'), '0110ABCZ');
});
