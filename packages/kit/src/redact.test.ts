import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from './redact.ts';

const SECRET = `${'0aB'.repeat(8)}`;

test('tokens, signatures, passwords and credentials are redacted anywhere in a text', () => {
  const texts = [
    [`GET /r/vr_${SECRET}/uploads`, 'GET /r/vr_[redacted]/uploads'],
    [`api_${SECRET} and prj_${SECRET}`, 'api_[redacted] and prj_[redacted]'],
    [`https://store/key?X-Amz-Signature=${SECRET}&a=b`, 'https://store/key?X-Amz-Signature=[redacted]&a=b'],
    [`mongodb://admin:${SECRET}@mongo:27017/?x`, 'mongodb://admin:[redacted]@mongo:27017/?x'],
    [`Authorization: Bearer ${SECRET}`, 'Authorization: Bearer [redacted]'],
    [`authorization: bearer ${SECRET}`, 'authorization: bearer [redacted]'],
    [`signed with whsec_${SECRET}+/=.`, 'signed with whsec_[redacted].'],
    ['Basic information about https://example.com:8080/@me', 'Basic information about https://example.com:8080/@me'],
  ] as const;
  for (const [text, expected] of texts) assert.equal(redact(text), expected);
});

test('a secret with percent-encoded characters is redacted, because it is still valid', () => {
  const every = (text: string) => text.replace(/./g, each => `%${each.charCodeAt(0).toString(16)}`);
  const texts = [
    `/r/vr%5F${SECRET}/opened`,
    `/r/%76r_${SECRET}/opened`,
    `/project/prj_${SECRET.slice(0, 9)}%${SECRET.charCodeAt(9).toString(16)}${SECRET.slice(10)}/export.json`,
    `/r/${every(`vr_${SECRET}`)}`,
    `/r/vr%255F${SECRET}`,
    `?token=api%5F${SECRET}`,
    `?u=${encodeURIComponent(`https://user:${SECRET}@host/`)}`,
    `?a=Bearer%20${SECRET}`,
    `?x=X-Amz-Signature%3D${SECRET}`,
    `?x-amz-signature=${SECRET}`,
    `bEaReR ${SECRET}`,
  ];
  for (const text of texts) {
    assert.match(redact(text), /\[redacted\]/, text);
    assert.doesNotMatch(decodeURIComponent(decodeURIComponent(redact(text))), new RegExp(SECRET), text);
    const line = JSON.parse(redact(JSON.stringify({ a: `"${text}"\n`, b: 'c' })));
    assert.equal(line.b, 'c', 'a line of JSON stays valid');
    assert.ok(!JSON.stringify(line).includes(SECRET));
  }
  for (const text of ['100 % of %2F and %zz', '%22%5C%0A', 'a%20b']) assert.equal(redact(text), text);
});

test('a line of JSON stays valid if a secret follows a line break or ends at a quotation mark', () => {
  const said = { a: `first\nvr_${SECRET}`, b: `"https://store/?X-Amz-Signature=${SECRET}"`, c: `x://a:${SECRET}\t@b` };
  const line = redact(JSON.stringify(said));
  assert.ok(!line.includes(SECRET), line);
  assert.deepEqual(Object.keys(JSON.parse(line)), ['a', 'b', 'c']);
});
