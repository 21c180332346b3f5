import { readdirSync, readFileSync } from 'node:fs';

/** The texts of the recorder in one language. `page` and `plural` are for the server's HTML, `script` is for the browser. */
export interface Language {
  code: string;
  /** The language's own name. */
  name: string;
  dir: 'ltr' | 'rtl';
  /** Texts that contain a count, by the language's plural category. */
  plural: Record<string, Partial<Record<Intl.LDMLPluralRule, string>>>;
  page: Record<string, string>;
  script: Record<string, string>;
}

const FOLDER = new URL('./texts/', import.meta.url);
const FALLBACK = 'en';

function load(): Map<string, Language> {
  const codes = readdirSync(FOLDER).filter(name => name.endsWith('.json'));
  return new Map(
    codes.sort().map(file => {
      const code = file.slice(0, -'.json'.length);
      return [code, { code, ...JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) } as Language];
    }),
  );
}

export const LANGUAGES = load();

/**
 * Returns the first of these that exists: the language in `?lang=`, the language that the owner stated for the person,
 * the best language of Accept-Language, English.
 */
export function chooseLanguage(picked: string | undefined, accepted: string | undefined, stated = ''): Language {
  const wishes = (accepted ?? '')
    .split(',')
    .map((entry, at) => {
      const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';');
      const q = Number(
        parameters
          .find(one => one.trim().startsWith('q='))
          ?.trim()
          .slice(2) ?? 1,
      );
      return { tag, q, at };
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || a.at - b.at)
    .map(({ tag }) => tag);
  for (const wish of [picked?.toLowerCase() ?? '', stated.toLowerCase(), ...wishes]) {
    const language = LANGUAGES.get(wish) ?? LANGUAGES.get(wish.split('-')[0]!);
    if (language) return language;
  }
  return LANGUAGES.get(FALLBACK)!;
}

/** Returns a text with its `{name}` places filled. */
export function fill(text: string | undefined, values: Record<string, string | number> = {}): string {
  return (text ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Returns the text for a count, in the language's own plural. */
export function fillPlural(
  { code, plural }: Language,
  key: string,
  count: number,
  values: Record<string, string | number> = {},
): string {
  const forms = plural[key] ?? {};
  return fill(forms[new Intl.PluralRules(code).select(count)] ?? forms.other, { ...values, count });
}
