import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSecretBox } from './secret-box.ts';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('a secret sealed under an old key opens after the keys were rotated', () => {
  const old = key('k1');
  const sealed = createSecretBox(old).seal('whisper', 'project-1');
  const rotated = createSecretBox(`${key('k2')},${old}`);
  assert.equal(rotated.open(sealed, 'project-1').toString(), 'whisper');
  assert.match(rotated.seal('x', 'y'), /^k2\./);
});

test('a sealed secret does not open for another record, nor when a byte of it was changed', () => {
  const box = createSecretBox(key('k1'));
  const sealed = box.seal('whisper', 'project-1');
  assert.throws(() => box.open(sealed, 'project-2'));
  const at = sealed.length - 3;
  assert.throws(() =>
    box.open(sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1), 'project-1'),
  );
});

test('a key that the ring does not hold is named, and a ring must name each key once', () => {
  const sealed = createSecretBox(key('k1')).seal('whisper', 'project-1');
  assert.throws(
    () => createSecretBox(key('k2')).open(sealed, 'project-1'),
    /the key "k1", which SECRETS_KEY does not hold/,
  );
  assert.throws(() => createSecretBox(`${key('k1')},${key('k1')}`), /"k1" twice/);
});

test('a key of the wrong length is refused without being shown', () => {
  assert.throws(
    () => createSecretBox('k1:c2hvcnQ='),
    (error: Error) => error.message.includes('32 bytes') && !error.message.includes('c2hvcnQ'),
  );
});
