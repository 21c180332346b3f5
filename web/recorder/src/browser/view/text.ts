import type { RecorderSettings } from '../../settings.ts';
import type { Message } from '../state/state.ts';

export interface Texts {
  /** Returns the text for `key` in the page's language, with its `{name}` places filled. */
  t(key: string, values?: Record<string, string | number>): string;
  /** Returns the text of a message; "" for none. */
  say(message: Message | undefined): string;
  /** Formats a whole percentage in the page's language. */
  percent(share: number): string;
  /** Formats bytes as megabytes, in the numerals of the page's language. */
  megabytes(bytes: number): string;
}

const MEGABYTE = 1_000_000;

export function createTexts({ lang, texts }: Pick<RecorderSettings, 'lang' | 'texts'>): Texts {
  const digits = new Intl.NumberFormat(`${lang}-u-nu-latn`, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const percents = new Intl.NumberFormat(`${lang}-u-nu-latn`, { style: 'percent' });
  const t: Texts['t'] = (key, values = {}) =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
  return {
    t,
    say: message => (message ? t(...message) : ''),
    percent: share => percents.format(share / 100),
    megabytes: bytes => digits.format(bytes / MEGABYTE),
  };
}

/** Joins texts and ends each as a sentence. */
export const sentences = (texts: readonly string[]): string =>
  texts.map((text, at) => (at < texts.length - 1 && !/[.?!…。！？؟]$/.test(text) ? `${text}.` : text)).join(' ');
