import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES } from '../../languages.ts';
import { WORDS } from './words.ts';

test('the prompter has every text in every language of the recorder', () => {
  assert.deepEqual(Object.keys(WORDS).sort(), [...LANGUAGES.keys()].sort());
  for (const [language, words] of Object.entries(WORDS)) {
    assert.ok(
      Object.values(words).every(text => text !== ''),
      language,
    );
    assert.equal(new Set(Object.values(words)).size, Object.keys(words).length, `${language} says two things alike`);
  }
});
