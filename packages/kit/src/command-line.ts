import { type ParseArgsConfig, parseArgs } from 'node:util';

/** An invalid command line; the message is for the user. */
export class UsageError extends Error {}

/** The exit status for an invalid command line. */
export const USAGE_STATUS = 2;

/** Parses a command line with `parseArgs` of `node:util`. Throws a UsageError with a sentence for the user. */
export function parseCommandLine<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs({ ...config, ...(config.args && { args: negativesJoined(config) }) } as T);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw SENTENCES[code] ? new UsageError(`${SENTENCES[code](message)} See --help.`) : error;
  }
}

/** Turns `--port -5` into `--port=-5`, so that the option's own check reports the value instead of `parseArgs`. */
function negativesJoined({ args = [], options = {} }: ParseArgsConfig): string[] {
  const takesText = (word = '') => word.startsWith('--') && options[word.slice('--'.length)]?.type === 'string';
  const isJoined = (at: number) => /^-[\d.]/.test(args[at] ?? '') && takesText(args[at - 1]);
  return args.flatMap((word, at) => (isJoined(at) ? [] : isJoined(at + 1) ? [`${word}=${args[at + 1]}`] : [word]));
}

const SENTENCES: Record<string, (message: string) => string> = {
  ERR_PARSE_ARGS_UNKNOWN_OPTION: message => `There is no option ${optionIn(message)}.`,
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: message => `${/'.*'/s.exec(message)} is not understood here.`,
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE(message) {
    const name = optionIn(message);
    if (message.includes('does not take')) return `${name} takes no value.`;
    return message.includes('ambiguous')
      ? `${name} takes a value; one with a dash as ${name}=-….`
      : `${name} takes a value.`;
  },
};

// In Node's message, the option is quoted, with its short form before it and its value after it.
const optionIn = (message: string): string => /'(?:-\w, )?([^' ]+)/.exec(message)?.[1] ?? '';
