import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { hashToken, mintToken, tokenAtStart, tokenIsWellFormed } from './tokens.ts';

test('a minted token is well formed only for its own prefix', () => {
  for (const prefix of ['api', 'prj', 'vr'] as const) {
    const token = mintToken(prefix);
    assert.match(token, new RegExp(`^${prefix}_[0-9A-Za-z]{38}$`));
    for (const other of ['api', 'prj', 'vr'] as const) {
      assert.equal(tokenIsWellFormed(other, token), other === prefix);
    }
  }
});

test('the checksum is the CRC-32, in base62, of everything before it', () => {
  // The CRC-32 of "vr_" + 32 zeros from Python's zlib.crc32, converted by hand. The test checks that the format never
  // changes.
  assert.equal(tokenIsWellFormed('vr', `vr_${'0'.repeat(32)}0XTCbc`), true);
});

test('any one changed character is refused', () => {
  const token = mintToken('api');
  for (let at = 4; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x';
    assert.equal(tokenIsWellFormed('api', token.slice(0, at) + other + token.slice(at + 1)), false);
  }
});

test('wrong lengths, wrong alphabets and surrounding text are refused', () => {
  const token = mintToken('vr');
  for (const bad of ['', 'vr_', token.slice(0, -1), `${token}0`, `${token}\n`, ` ${token}`, token.replace('_', '-')]) {
    assert.equal(tokenIsWellFormed('vr', bad), false, JSON.stringify(bad));
  }
});

test('a token is found at the start of a text, and nowhere else', () => {
  const token = mintToken('vr');
  for (const attached of ['', '/', '%', '.', 'and more']) assert.equal(tokenAtStart('vr', token + attached), token);
  for (const text of ['', ` ${token}`, token.slice(0, -1), `${token.slice(0, -1)}.`])
    assert.equal(tokenAtStart('vr', text), undefined);
  assert.equal(tokenAtStart('prj', token), undefined);
});

test('each base62 character comes up equally often', () => {
  const counts = new Map<string, number>();
  const tokens = 8_000;
  for (let made = 0; made < tokens; made++) {
    for (const letter of mintToken('vr').slice(3, 35)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (tokens * 32) / 62;
  assert.equal(counts.size, 62);
  // Chi-squared with 61 degrees of freedom exceeds 140 once in 10^7 runs; random bytes modulo 62 would reach about 2,000.
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  assert.ok(chi < 140, `chi-squared ${chi}`);
});

test('the hash is SHA-256 of the text', () => {
  const token = mintToken('prj');
  assert.deepEqual(hashToken(token), createHash('sha256').update(token).digest());
  assert.equal(hashToken(token).length, 32);
});
