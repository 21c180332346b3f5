import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOfJson } from './json-hash.ts';

const hex = (text: string) => hashOfJson(JSON.parse(text)).toString('hex');

test('the hash ignores the order of fields, white space and the spelling of a value', () => {
  const one = hex('{"a":1,"b":{"c":[1,{"d":2,"e":"é"}],"f":null}}');
  assert.equal(hex('{ "b": {"f": null, "c": [1.0, {"e": "\\u00e9", "d": 2}]},\n"a": 1 }'), one);
});

test('another value, another list order or another field gives another hash', () => {
  const bodies = [
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"a":["1",2]}',
    '{"a":[1,2],"b":null}',
    '{"b":[1,2]}',
    '[]',
    '{}',
    'null',
  ];
  assert.equal(new Set(bodies.map(hex)).size, bodies.length);
});
