import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { invalidFirst } from './invalid-first.ts';

const fails = (code: 'invalid' | 'not_found' | 'unavailable') => Promise.reject(new DomainError(code, `${code}.`));
const CASES: [string, Promise<string>, Promise<string>, string | undefined][] = [
  ['both answer', Promise.resolve('a'), Promise.resolve('b'), undefined],
  ['a bad cursor on a missing project', fails('not_found'), fails('invalid'), 'invalid.'],
  ['a missing project', fails('not_found'), Promise.resolve('b'), 'not_found.'],
  ['a missing project while the other service is down', fails('not_found'), fails('unavailable'), 'not_found.'],
  ['the other service is down', Promise.resolve('a'), fails('unavailable'), 'unavailable.'],
];
for (const [name, resource, answer, message] of CASES) {
  test(name, async () => {
    const both = invalidFirst(resource, answer);
    if (message) await assert.rejects(both, { message });
    else assert.deepEqual(await both, ['a', 'b']);
  });
}
