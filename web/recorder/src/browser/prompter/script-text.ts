// The parts of a script, and how fast it runs.

export type Block = { kind: 'paragraph'; text: string } | { kind: 'bullets'; items: string[] };

const BULLET = /^- +/;

/** Splits a text at empty lines into paragraphs. Lines that begin with `- ` are bullet points. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const last = blocks.at(-1);
    if (line.trim() === '') {
      open = false;
    } else if (BULLET.test(line)) {
      const item = line.replace(BULLET, '').trim();
      if (last?.kind === 'bullets') last.items.push(item);
      else blocks.push({ kind: 'bullets', items: [item] });
      open = false;
    } else if (open && last?.kind === 'paragraph') {
      last.text += `\n${line}`;
    } else {
      blocks.push({ kind: 'paragraph', text: line });
      open = true;
    }
  }
  return blocks;
}

/** Returns whether the text has only bullet points, which are shown without scrolling. */
export const isOnlyBullets = (blocks: readonly Block[]): boolean =>
  blocks.length > 0 && blocks.every(({ kind }) => kind === 'bullets');

// Chinese, Japanese and Thai have no spaces between words. Two of their characters take about as long as one word.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Returns about how many words a speaker says. */
export function wordsIn(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  const spaced = text.replace(UNSPACED, ' ').match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  return spaced + Math.ceil(unspaced / 2);
}

export const SPEED = { least: 60, most: 240, step: 10, usual: 120 } as const;
/** In pixels. */
export const SIZE = { least: 20, most: 52, step: 4, usual: 28 } as const;

/** Returns the next value, within the range. */
export const stepped = ({ least, most, step }: typeof SPEED | typeof SIZE, value: number, by: 1 | -1): number =>
  Math.max(least, Math.min(most, value + by * step));

/** Returns the pixels per second at which a text of this height takes as long as its words. */
export const pixelsPerSecond = (height: number, words: number, wordsPerMinute: number): number =>
  words === 0 ? 0 : (height * wordsPerMinute) / (60 * words);

export type Move = 'toggle' | 'lineDown' | 'lineUp' | 'pageDown' | 'pageUp';

/** The keys of keyboards, presenters and foot pedals. */
const MOVES: Record<string, Move> = {
  ' ': 'toggle',
  ArrowDown: 'lineDown',
  ArrowRight: 'lineDown',
  ArrowUp: 'lineUp',
  ArrowLeft: 'lineUp',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
};

/** Returns the meaning of a key; undefined for the others and with a modifier. */
export const moveOf = ({
  key,
  altKey,
  ctrlKey,
  metaKey,
}: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'>) =>
  altKey || ctrlKey || metaKey ? undefined : MOVES[key];
