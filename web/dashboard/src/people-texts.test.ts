import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Texts {
  script: Record<string, string>;
  plural: Record<string, Partial<Record<Intl.LDMLPluralRule, string>>>;
}

const FOLDER = `${import.meta.dirname}/people-texts`;
const languages = new Map(
  readdirSync(FOLDER).map(file => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Texts,
  ]),
);
const english = languages.get('en')!;
const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

test('the table of people has every text in every language of the recorder, with the same places and all plural forms', () => {
  const recorder = readdirSync(`${import.meta.dirname}/../../recorder/src/texts`).map(file =>
    file.replace('.json', ''),
  );
  assert.deepEqual([...languages.keys()].sort(), recorder.sort());
  for (const [code, { script, plural }] of languages) {
    assert.deepEqual(Object.keys(script), Object.keys(english.script), code);
    assert.deepEqual(Object.keys(plural), Object.keys(english.plural), code);
    for (const [key, text] of Object.entries(english.script)) {
      assert.deepEqual(places(script[key]!), places(text), `${code} ${key}`);
      assert.notEqual(script[key]!.trim(), '', `${code} ${key}`);
    }
    const rules = new Intl.PluralRules(code);
    for (const [key, forms] of Object.entries(plural)) {
      for (let count = 0; count <= 120; count++) assert.ok(forms[rules.select(count)], `${code} ${key}, ${count}`);
      // A form of one or two may do without the figure.
      for (const [form, text] of Object.entries(forms))
        assert.ok(/one|two/.test(form) || text.includes('{count}'), `${code} ${key} ${form}`);
    }
  }
});

test('the sources use exactly these texts, and load each language', () => {
  const sources = globSync('browser/people/*.ts', { cwd: import.meta.dirname })
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    .join('\n');
  for (const key of [...Object.keys(english.script), ...Object.keys(english.plural)])
    assert.ok(new RegExp(`['"\`]${key}['"\`]`).test(sources), `${key} is used`);
  for (const code of languages.keys()) assert.ok(sources.includes(`people-texts/${code}.json`), code);
});
