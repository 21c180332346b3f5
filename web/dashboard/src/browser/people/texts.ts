import english from '../../people-texts/en.json' with { type: 'json' };

// The texts of the table of people, in the language of the page. They load with the table, so that the page's first view
// has none of them. A language that cannot be loaded leaves the table in English.

type Values = Record<string, string | number>;
type Key = keyof typeof english.script;
type PluralKey = keyof typeof english.plural;
type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

interface Texts {
  script: Record<Key, string>;
  plural: Record<PluralKey, Forms>;
}

const LANGUAGES: Record<string, () => Promise<{ default: Texts }>> = {
  ar: () => import('../../people-texts/ar.json', { with: { type: 'json' } }),
  de: () => import('../../people-texts/de.json', { with: { type: 'json' } }),
  es: () => import('../../people-texts/es.json', { with: { type: 'json' } }),
  fr: () => import('../../people-texts/fr.json', { with: { type: 'json' } }),
  it: () => import('../../people-texts/it.json', { with: { type: 'json' } }),
  ja: () => import('../../people-texts/ja.json', { with: { type: 'json' } }),
  nl: () => import('../../people-texts/nl.json', { with: { type: 'json' } }),
  pl: () => import('../../people-texts/pl.json', { with: { type: 'json' } }),
  pt: () => import('../../people-texts/pt.json', { with: { type: 'json' } }),
  tr: () => import('../../people-texts/tr.json', { with: { type: 'json' } }),
};

const TIME: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };

/** Returns the texts and formats of a language. */
function formats(language: string, texts: Texts) {
  // Every part of the page has the digits of its clocks.
  const digits = `${language}-u-nu-latn`;
  const locale = navigator.languages.find(tag => tag.split('-')[0] === language) ?? language;
  // One formatter for all cells: a new one for each cell would take most of a frame.
  const time = (more: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...TIME, ...more, numberingSystem: 'latn' });
  return {
    texts,
    whole: new Intl.NumberFormat(digits),
    rules: new Intl.PluralRules(language),
    thisYear: time({}),
    otherYear: time({ year: 'numeric' }),
  };
}

let current = formats('en', english);

/** Loads the texts in the page's language. */
export async function loadTexts(language: string): Promise<void> {
  const load = LANGUAGES[language];
  const loaded = await load?.().catch(() => undefined);
  if (loaded) current = formats(language, loaded.default);
}

const fill = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? number(value) : value;
  });

/** Returns a text with its `{name}` places filled. */
export const say = (key: Key, values: Values = {}): string => fill(current.texts.script[key], values);

/** Returns a text with a count, in the language's plural. */
export function many(key: PluralKey, count: number): string {
  const forms = current.texts.plural[key];
  return fill(forms[current.rules.select(count)] ?? forms.other ?? '', { count });
}

export const number = (value: number): string => current.whole.format(value);

/** Formats a time to the minute in the reader's time zone. */
export const moment = (at: Date): string =>
  (at.getFullYear() === new Date().getFullYear() ? current.thisYear : current.otherYear).format(at);
