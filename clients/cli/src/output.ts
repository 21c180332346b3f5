import { randomUUID } from 'node:crypto';
import type { WriteStream } from 'node:tty';

/**
 * The output of a command: results go to stdout, everything else to stderr. No text reaches the terminal with control
 * characters, because the server and contributors choose texts; the colours of `colour` are kept.
 */
export interface Output {
  isJson: boolean;
  /** Prints the result: the JSON with `--json`, otherwise the lines. */
  result(json: unknown, lines: string | readonly string[]): void;
  /** Prints a remark. It is not part of the result. */
  note(line: string): void;
  /** Returns a line that shows the progress of long work. */
  progress(): Progress;
  /** Returns the text in this colour, for a line of `result`, if stdout is a terminal. */
  colour(colour: Colour, text: string): string;
}

export interface Progress {
  /** Replaces the line. Without a terminal, prints a line at most every five seconds. */
  show(line: string): void;
  end(): void;
}

const COLOURS = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Colour = keyof typeof COLOURS;
const EVERY_MS = 5_000;
const REDRAW_MS = 100;

type Stream = Pick<WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Returns the output of a command. Colours need a terminal without NO_COLOR. */
export function createOutput(
  isJson: boolean,
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: { stdout: Stream; stderr: Stream } = process,
): Output {
  const hasColour = (stream: Stream) => Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb';
  // The server cannot guess the key, so only `colour` makes colours.
  const key = randomUUID();
  const codes = new RegExp(`${key}(\\d+m)`, 'g');
  const shown = (text: string): string => plain(text).replaceAll(codes, '\x1b[$1');
  let line = '';
  const clear = () => {
    if (line) stderr.write('\r\x1b[K');
    line = '';
  };
  return {
    isJson,
    result(json, lines) {
      clear();
      const text = isJson ? jsonOf(json) : [lines].flat().map(shown).join('\n');
      if (text) stdout.write(`${text}\n`);
    },
    note(text) {
      clear();
      stderr.write(`${shown(text)}\n`);
    },
    progress() {
      let shownAt = stderr.isTTY ? 0 : performance.now();
      return {
        show(text) {
          const now = performance.now();
          if (now - shownAt < (stderr.isTTY ? REDRAW_MS : EVERY_MS)) return;
          shownAt = now;
          if (!stderr.isTTY) return void stderr.write(`${plain(text)}\n`);
          line = plain(text).slice(0, (stderr.columns || 80) - 1);
          stderr.write(`\r\x1b[K${line}`);
        },
        end: clear,
      };
    },
    colour(name, text) {
      const [on, off] = COLOURS[name];
      return hasColour(stdout) ? `${key}${on}m${text}${key}${off}m` : text;
    },
  };
}

const WIDEST = 48;

/** Returns the lines of a table. Texts are shown without control characters, which could move the cursor. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  const shown = [head, ...rows.map(row => row.map(cell => short(plain(cell ?? ''), WIDEST)))];
  const widths = head.map((_, column) => Math.max(...shown.map(row => widthOf(row[column] ?? ''))));
  return shown.map(row =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns the lines of a table whose last column, a link, stays whole so that it can be copied. */
export function linkTable(head: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  const lines = table(
    head.slice(0, -1),
    rows.map(row => row.slice(0, -1)),
  );
  const width = Math.max(...lines.map(widthOf));
  return lines.map(
    (line, i) => `${line}${' '.repeat(width - widthOf(line))}  ${i === 0 ? head.at(-1) : rows[i - 1]!.at(-1)}`,
  );
}

/** Returns a text in one line without control characters. */
export const plain = (text: unknown): string => String(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** Returns JSON in which characters that could control a terminal are escaped. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, letter =>
    letter.replaceAll(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/u;
const widthOf = (text: string): number =>
  [...segments.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);

function short(text: string, limit: number): string {
  const letters = [...segments.segment(text)];
  return letters.length <= limit
    ? text
    : `${letters
        .slice(0, limit - 1)
        .map(({ segment }) => segment)
        .join('')}…`;
}

/** Returns a number of bytes as text, such as `1.5 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1_000;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export const plural = (count: number, word: string): string =>
  `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
