import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personInput } from './invitation.ts';
import { canonicalLanguageTag } from './language-tag.ts';
import { createFaultFinders } from './validation.ts';

const TAGS: [given: string, canonical: string][] = [
  ['de', 'de'],
  ['PT-br', 'pt-BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['es-419', 'es-419'],
  ['sl-rozaj-biske-1994', 'sl-1994-biske-rozaj'],
  ['ar-EG-u-nu-latn-ca-islamic', 'ar-EG-u-ca-islamic-nu-latn'],
  ['en-t-de-x-0-mine', 'en-t-de-x-0-mine'],
  ['de-a-ext-b-more', 'de-a-ext-b-more'],
  ['sh', 'sr-Latn'],
  ['art-lojban', 'jbo'],
];
const OTHERS = [
  ...['pt_BR', 'x', 'de-', 'de--AT', 'de-1996-1996', 'en-a-bb-A-cc', 'en-u', 'english language', '--', 'x-private'],
  ...[`en-x${'-abcdefgh'.repeat(12)}`],
];

test('every well-formed language tag is valid, in its canonical form', () => {
  const faultsIn = createFaultFinders({ coerce: false })(personInput);
  for (const [given, canonical] of TAGS) {
    assert.equal(canonicalLanguageTag(given), canonical);
    assert.equal(faultsIn({ locale: given }), undefined, given);
    assert.equal(canonicalLanguageTag(canonical), canonical);
  }
  for (const given of OTHERS) {
    assert.equal(canonicalLanguageTag(given), undefined, given);
    assert.ok(faultsIn({ locale: given }), given);
  }
  for (const none of ['', null]) assert.equal(faultsIn({ locale: none }), undefined);
});
