import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newCipherKey, seekableCipher } from './seekable-cipher.ts';

test('bytes encrypted in pieces are decrypted from any offset', () => {
  const key = newCipherKey();
  const text = randomBytes(200);
  const encipher = seekableCipher(key, 0);
  const sealed = Buffer.concat([0, 7, 100].map((from, at, all) => encipher(text.subarray(from, all[at + 1]))));
  assert.ok(!sealed.equals(text));
  for (let offset = 0; offset < text.length; offset++)
    assert.ok(
      seekableCipher(key, offset)(sealed.subarray(offset)).equals(text.subarray(offset)),
      `from byte ${offset}`,
    );
});

test('far into an object, too', () => {
  const key = newCipherKey();
  const far = 5 * 1024 ** 3 + 3;
  const sealed = seekableCipher(key, far)(Buffer.from('0123456789'));
  assert.equal(seekableCipher(key, far + 4)(sealed.subarray(4)).toString(), '456789');
});
