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

test('a digest is the same for the same text and context, and differs in everything else', () => {
  const [k1, k2] = [key('k1'), key('k2')];
  const box = createSecretBox(k1);
  const digest = box.digest('P-17', 'project-1');
  assert.match(digest, /^k1\.[\w-]{43}$/);
  assert.equal(createSecretBox(k1).digest('P-17', 'project-1'), digest);
  const others = [
    box.digest('P-18', 'project-1'),
    box.digest('P-17', 'project-2'),
    box.digest('7', 'project-1P-1'),
    box.digest('1P-17', 'project-'),
    createSecretBox(key('k1')).digest('P-17', 'project-1'),
    createSecretBox(k2).digest('P-17', 'project-1'),
  ];
  assert.equal(new Set([digest, ...others]).size, 1 + others.length);
  assert.ok(!digest.includes('P-17'));
});

test('a digest by an old key is found after the keys were rotated', () => {
  const old = key('k1');
  const stored = createSecretBox(old).digest('P-17', 'project-1');
  const rotated = createSecretBox(`${key('k2')},${old}`);
  const digests = rotated.digests('P-17', 'project-1');
  assert.deepEqual(digests, [rotated.digest('P-17', 'project-1'), stored]);
  assert.match(digests[0]!, /^k2\./);
});
