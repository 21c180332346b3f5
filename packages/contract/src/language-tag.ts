import { LIMITS } from './limits.ts';

/**
 * Returns the canonical form of a BCP 47 tag, with its extensions: `pt-br` becomes `pt-BR`. Returns undefined for any
 * other text, and for a tag that is too long.
 */
export function canonicalLanguageTag(text: string): string | undefined {
  // Checks the length first, because parsing a longer tag takes more time.
  if (text.length > LIMITS.localeLength) return undefined;
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(text);
    return canonical.length > LIMITS.localeLength ? undefined : canonical;
  } catch {
    return undefined;
  }
}
