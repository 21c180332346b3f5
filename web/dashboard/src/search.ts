import { type ComponentChildren, h } from 'preact';
import type { Clip } from './clip.ts';

// Highlights the matches of a search. Uses the same fields and splits words like the server.

const WORDS_MAX = 8;
const BEFORE = 40;
const SNIPPET = 180;

/** Returns the words that count in a search. */
export const wordsOf = (q: string): string[] => q.split(/\s+/u).filter(Boolean).slice(0, WORDS_MAX);

const literally = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function pattern(words: string[]): RegExp | undefined {
  return words.length > 0 ? new RegExp(`(${words.map(literally).join('|')})`, 'giu') : undefined;
}

/** Highlights each of the words in a text. */
export function marked(text: string, words: string[]): ComponentChildren {
  const found = pattern(words);
  // The pattern is a group, so `split` returns other text and matches alternately.
  return found ? text.split(found).map((part, index) => (index % 2 === 1 ? h('mark', null, part) : part)) : text;
}

/** Returns whether each of the words occurs in one of the fields that the server searches. */
export const hasWords = (clip: Clip, words: string[]): boolean =>
  words.every(word => {
    const found = pattern([word]) as RegExp;
    const texts = [clip.transcriptText, clip.note, clip.reviewNote, clip.questionText];
    return texts.some(text => (text ?? '').search(found) >= 0);
  });

/** Returns how many of the words a text has. */
export const wordsIn = (text: string, words: string[]): number =>
  words.filter(word => text.search(pattern([word]) as RegExp) >= 0).length;

export interface Found {
  where: string;
  text: string;
}

const FIELDS: [where: string, of: (clip: Clip) => string | null][] = [
  ['Note', clip => clip.note],
  ['Review note', clip => clip.reviewNote],
];

/**
 * Returns a clip's quotes for its card, from the transcript and the notes. With search words, a quote is the text
 * around the first match.
 */
export function quotesOf(clip: Clip, words: string[]): Found[] {
  const found = pattern(words);
  const transcript = clip.transcriptText ?? '';
  const quotes: Found[] = [];
  const at = found ? transcript.search(found) : 0;
  if (transcript && at >= 0) quotes.push({ where: '', text: around(transcript, at) });
  for (const [where, of] of FIELDS) {
    const text = of(clip) ?? '';
    const place = found ? text.search(found) : 0;
    if (text && place >= 0) quotes.push({ where, text: around(text, place) });
  }
  return quotes;
}

function around(text: string, at: number): string {
  const from = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1 || at - BEFORE;
  const start = Math.min(from, at);
  const piece = text.slice(start, start + SNIPPET);
  return `${start > 0 ? '… ' : ''}${piece}${start + SNIPPET < text.length ? ' …' : ''}`;
}
