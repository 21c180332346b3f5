import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { invalidFirst } from './invalid-first.ts';

type Answers = () => Promise<string>;

const gives =
  (text: string): Answers =>
  () =>
    Promise.resolve(text);
const fails =
  (code: 'invalid' | 'not_found' | 'unavailable'): Answers =>
  () =>
    Promise.reject(new DomainError(code, `${code}.`));
const CASES: [string, Answers, Answers, string | undefined][] = [
  ['both answer', gives('a'), gives('b'), undefined],
  ['a bad cursor on a missing project', fails('not_found'), fails('invalid'), 'invalid.'],
  ['a missing project', fails('not_found'), gives('b'), 'not_found.'],
  ['a missing project while the other service is down', fails('not_found'), fails('unavailable'), 'not_found.'],
  ['the other service is down', gives('a'), fails('unavailable'), 'unavailable.'],
];
for (const [name, resource, answer, message] of CASES) {
  test(name, async () => {
    const both = invalidFirst(resource(), answer());
    if (message) await assert.rejects(both, { message });
    else assert.deepEqual(await both, ['a', 'b']);
  });
}
