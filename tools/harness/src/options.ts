import type { ParseArgsOptionsConfig } from 'node:util';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';

export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean', default: false } as const;
export const HELP_FLAG = { ...FLAG, short: 'h' } as const;

/** Parses `options` and --help. Throws a UsageError with a sentence for the user. */
export const parseFlags = <const T extends ParseArgsOptionsConfig>(args: string[], options: T) =>
  parseCommandLine({ args, options: { ...options, help: HELP_FLAG } }).values;

interface Range {
  min: number;
  max: number;
}

/** Returns the whole number in an option. Throws a UsageError for other text. */
export function wholeNumber(name: string, text: string, { min, max }: Range): number {
  if (/^\d+$/.test(text) && isWithin(Number(text), { min, max })) return Number(text);
  throw new UsageError(`${name} takes a whole number from ${min} to ${max}, not "${text}".`);
}

/** Returns the number in an option, which may have decimals. Throws a UsageError for other text. */
export function decimal(name: string, text: string, { min, max }: Range): number {
  if (/^\d+(\.\d+)?$/.test(text) && isWithin(Number(text), { min, max })) return Number(text);
  throw new UsageError(`${name} takes a number from ${min} to ${max.toLocaleString('en')}, not "${text}".`);
}

/** Returns the given seed, or a random one. */
export const seedOf = (text: string | undefined): number =>
  text === undefined ? Math.floor(Math.random() * 1e6) : wholeNumber('--seed', text, { min: 0, max: 2 ** 32 - 1 });

const isWithin = (value: number, { min, max }: Range) => value >= min && value <= max;

/**
 * Returns the items whose name begins with an entry of the comma-separated list; without a list, all items. The
 * UsageError names `kind`.
 */
export function named<T extends { name: string }>(list: string | undefined, all: readonly T[], kind: string): T[] {
  const beginnings = list?.split(',').filter(Boolean) ?? [];
  const unknown = beginnings.find(text => !all.some(({ name }) => name.startsWith(text)));
  if (unknown !== undefined) throw new UsageError(`No ${kind} is called ${unknown}: see --list.`);
  return all.filter(({ name }) => beginnings.length === 0 || beginnings.some(text => name.startsWith(text)));
}
