import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { RecordingRequest } from '@recording-request/client';
import { UsageFailure } from './failures.ts';
import type { Output } from './output.ts';

/** An option of a command. */
export interface Flag {
  type: 'switch' | 'text' | 'list';
  help: string;
  /** The name of the value in the help. */
  value?: string;
  choices?: readonly string[];
}

export type Flags = Record<string, Flag>;

/** The values of options. For an absent option, a list is empty and a text is undefined. */
export type Values<F extends Flags> = {
  [Name in keyof F]: F[Name]['type'] extends 'switch'
    ? boolean
    : F[Name]['type'] extends 'list'
      ? string[]
      : string | undefined;
};

/** The surroundings of a command. */
export interface Context {
  out: Output;
  /** Aborts when the user stops the command. */
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
  /** Returns the client of the owner. Throws if no token is stored. */
  client(): Promise<RecordingRequest>;
}

export interface Command<F extends Flags = Flags> {
  /** The words after `rr`, such as `projects create`. */
  name: string;
  /** Begins with a verb. */
  summary: string;
  /** The names of the arguments. A name in brackets is optional. */
  args: readonly string[];
  flags: F;
  /** A phrase that says where the service's address comes from; without it, RR_BASE_URL or rr login. */
  addressFrom?: string;
  /** Further lines of the help. */
  notes?: string;
  /** Resolves to the exit code, 0 by default. */
  run(input: { args: string[]; flags: Values<F> }, context: Context): Promise<number | undefined> | Promise<void>;
}

/** Returns the command with the type of its options. */
export const command = <const F extends Flags>(definition: Command<F>): Command => definition as unknown as Command;

/** The options of every command. */
export const COMMON: Flags = {
  json: { type: 'switch', help: 'prints JSON' },
  help: { type: 'switch', help: 'prints this help' },
};

export interface Parsed {
  args: string[];
  flags: Values<Flags>;
  isJson: boolean;
  isHelp: boolean;
}

/** Returns the arguments and options of a command. Throws a `UsageFailure` that names the fault. */
export function parse({ name, args, flags }: Command, given: string[]): Parsed {
  const options: ParseArgsConfig['options'] = {};
  for (const [flag, { type }] of Object.entries({ ...flags, ...COMMON }))
    options[flag] = {
      type: type === 'switch' ? 'boolean' : 'string',
      multiple: type === 'list',
      ...(flag === 'help' && { short: 'h' }),
    };
  const { values, positionals } = read(name, { args: given, options, allowPositionals: true, strict: true });
  const isHelp = values.help === true;
  const least = args.filter(each => !each.startsWith('[')).length;
  if (!isHelp && positionals.length < least)
    throw new UsageFailure(`${args[positionals.length]} is missing: rr ${name} ${args.join(' ')}`);
  if (!isHelp && positionals.length > args.length)
    throw new UsageFailure(`${tooMany(positionals[args.length]!)}: rr ${name} ${args.join(' ')}`);
  for (const [flag, { choices }] of Object.entries(flags))
    if (choices && values[flag] !== undefined && !choices.includes(values[flag] as string))
      throw new UsageFailure(`--${flag} must be one of ${choices.join(', ')}.`);
  const full = Object.entries(flags).map(([flag, { type }]) => {
    const absent = { switch: false, list: [], text: undefined }[type];
    return [flag, values[flag] ?? absent] as const;
  });
  const parsed = Object.fromEntries(full) as unknown as Values<Flags>;
  return { args: positionals, flags: parsed, isJson: values.json === true, isHelp };
}

function read(name: string, config: ParseArgsConfig): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs(config) as { values: Record<string, unknown>; positionals: string[] };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new UsageFailure(`${message.split('. ')[0]!.replace(/\.$/, '')}. See rr ${name} --help.`);
  }
}

/** Parses the whole number of an option. Throws a `UsageFailure` for any other text. */
export function wholeNumber(flag: string, text: string | undefined, least: number, most = 999_999_999) {
  if (text === undefined) return undefined;
  const to = most === 999_999_999 ? '' : ` to ${most.toLocaleString('en-US')}`;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw new UsageFailure(`--${flag} must be a whole number from ${least}${to}.`);
  return Number(text);
}

/** Returns the help of a command. */
export function helpOf({ name, summary, args, flags, notes }: Command): string {
  const rows = Object.entries({ ...flags, ...COMMON }).map(([flag, { type, value = 'TEXT', choices, help }]) => {
    const shown = type === 'switch' ? '' : ` ${choices ? choices.join('|') : value}`;
    return [`--${flag}${shown}`, help] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`);
  const usage = ['rr', name, ...args, '[options]'].filter(Boolean).join(' ');
  return `${usage}\n\n${summary}\n\n${lines.join('\n')}\n${notes ? `\n${notes}\n` : ''}`;
}

/** Returns the start of a sentence. Does not repeat a token, because logs keep the output of commands. */
const tooMany = (word: string): string =>
  /^(?:api|prj|vr)_/.test(word)
    ? 'No command takes a token as an argument, because other users can see it. Pass it on stdin'
    : `“${word}” is one argument too many`;
