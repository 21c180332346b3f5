import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseLanguage, fill, fillPlural, LANGUAGES } from './languages.ts';

test('every language has every text, with the same places to fill', () => {
  const english = LANGUAGES.get('en')!;
  const places = (text: string | undefined) => [...(text ?? '').matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
  assert.ok(LANGUAGES.size >= 10);
  assert.ok([...LANGUAGES.values()].some(({ dir }) => dir === 'rtl'));
  for (const language of LANGUAGES.values()) {
    for (const part of ['page', 'script'] as const) {
      assert.deepEqual(Object.keys(language[part]), Object.keys(english[part]), language.code);
      for (const [key, text] of Object.entries(english[part])) {
        assert.deepEqual(places(language[part][key]), places(text), `${language.code} ${key}`);
        assert.notEqual(language[part][key]?.trim(), '', `${language.code} ${key}`);
      }
    }
  }
});

// Words that some languages share with English.
const SHARED = /^(?:Camera|Link|Pause|Stop)$/;

test('no language has a text left in English', () => {
  const english = LANGUAGES.get('en')!;
  for (const language of LANGUAGES.values()) {
    if (language === english) continue;
    for (const part of ['page', 'script'] as const) {
      for (const [key, text] of Object.entries(english[part]))
        assert.ok(language[part][key] !== text || SHARED.test(text), `${language.code} ${key}: ${text}`);
    }
  }
});

test('the English texts have none of the product’s own words', () => {
  const english = LANGUAGES.get('en')!;
  const texts = [english.page, english.script].flatMap(part => Object.values(part));
  for (const text of texts)
    assert.doesNotMatch(text, /\b(?:takes?|responses?|submissions?|contributors?|deliver(?:ed)?|safe on)\b/i);
});

test('every language has all its plural forms, and writes a count of one without a figure', () => {
  for (const language of LANGUAGES.values()) {
    const rules = new Intl.PluralRules(language.code);
    for (const [key, forms] of Object.entries(language.plural)) {
      for (let count = 1; count <= 50; count++)
        assert.ok(forms[rules.select(count)], `${language.code} ${key}, ${count}: ${rules.select(count)}`);
    }
  }
  const said = (code: string, count: number) =>
    fillPlural(LANGUAGES.get(code)!, 'leadInterview', count, { time: '2:00' });
  assert.equal(said('en', 1), 'One question. Up to 2:00 for your answer.');
  assert.equal(said('en', 3), '3 questions, one at a time. Up to 2:00 for each answer.');
  assert.match(said('pl', 22), /^22 pytania,/);
  assert.match(said('pl', 25), /^25 pytań,/);
  assert.match(said('ar', 2), /^سؤالان/);
});

test('the language is the picked one, otherwise the owner’s, the browser’s best, or English', () => {
  const code = (picked: string | undefined, accepted: string | undefined, stated?: string) =>
    chooseLanguage(picked, accepted, stated).code;
  assert.equal(code('fr', 'de'), 'fr');
  assert.equal(code('../x', 'de-CH, fr;q=0.9'), 'de');
  assert.equal(code(undefined, 'xx, fr;q=0.4, es-MX;q=0.8'), 'es');
  assert.equal(code(undefined, 'de;q=0, *'), 'en');
  assert.equal(code(undefined, undefined), 'en');
  assert.equal(code('fr', 'de', 'pt-BR'), 'fr');
  assert.equal(code('../x', 'de', 'pt-BR'), 'pt');
  assert.equal(code(undefined, 'de', 'pt-Latn-BR-u-nu-latn'), 'pt');
  assert.equal(code(undefined, 'de', 'xx'), 'de');
});

test('a text is filled, but its values are not filled again', () => {
  assert.equal(fill('{a} of {b}', { a: '{b}', b: 2 }), '{b} of 2');
});
