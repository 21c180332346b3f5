import { LIMITS } from './limits.ts';

/**
 * Returns the canonical form of a BCP 47 tag, with its extensions: `pt-br` becomes `pt-BR`. Returns undefined for any
 * other text, and for a tag that is too long.
 */
export function canonicalLanguageTag(text: string): string | undefined {
  // Checked first, because the time that a tag takes grows with its length.
  if (text.length > LIMITS.localeLength) return undefined;
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(text);
    return canonical.length > LIMITS.localeLength ? undefined : canonical;
  } catch {
    return undefined;
  }
}
