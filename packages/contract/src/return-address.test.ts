import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceOf } from './reference.ts';
import { filled, hostOf } from './return-address.ts';

test('placeholders are replaced once and percent-encoded, so that a value changes no other part', () => {
  const values = { reference: 'a&b=c/../#?{code}é', submissionId: 's1', code: '7K3F9QXA' };
  assert.equal(
    filled('https://a.example/{submissionId}/x?r={reference}&r2={reference}&c={code}', name => values[name]),
    'https://a.example/s1/x?r=a%26b%3Dc%2F..%2F%23%3F%7Bcode%7D%C3%A9&r2=a%26b%3Dc%2F..%2F%23%3F%7Bcode%7D%C3%A9&c=7K3F9QXA',
  );
  assert.equal(
    filled('https://a.example/?r={reference}', () => '\ud800'),
    'https://a.example/?r=%EF%BF%BD',
  );
  assert.equal(
    filled('', name => values[name]),
    '',
  );
});

test('the host is exactly where the browser goes', () => {
  assert.equal(hostOf('https://Shop.EXAMPLE:443/x'), 'shop.example');
  assert.equal(hostOf('https://shop.example:8443'), 'shop.example:8443');
  assert.equal(hostOf('https://shоp.example'), 'xn--shp-ted.example', 'a Cyrillic o');
});

test('a reference is kept as it is; one that is not valid is none', () => {
  for (const good of ['P-17', '<b>&"', ' x ', '名前', '😀'.repeat(200)]) assert.equal(referenceOf(good), good);
  const bad = [
    '',
    '  ',
    'x'.repeat(201),
    '\0',
    'a\nb',
    '\u0085',
    '\u2028',
    7,
    undefined,
    ['a', 'b'],
    null,
    'x'.repeat(5_000),
  ];
  for (const each of bad) assert.equal(referenceOf(each), undefined, String(each).slice(0, 10));
});
