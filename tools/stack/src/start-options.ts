import { FLAG, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';

export interface StartOptions {
  /** The requested port; undefined for 8080 or the next free one. */
  port: number | undefined;
  data: string;
  fresh: boolean;
  help: boolean;
}

export const DEFAULT_PORT = 8080;
export const DEFAULT_DATA = '.stack';

export const HELP = `npm start -- [options]

Starts all of Recording Request on this machine: MongoDB, Kafka, an S3 store, a speech-to-text server and the six
services. Installs missing programs on the first run. Runs until Ctrl-C; in the background, kill -TERM $(cat DIR/lock)
stops it.

  --port N     the port of the API and the pages (default: ${DEFAULT_PORT}, or the next free one)
  --data DIR   the folder of data, logs and keys between runs (default: ${DEFAULT_DATA})
  --fresh      start without earlier data
  --help       this text

Writes DIR/ready.json when everything is ready. tools/stack/README.md lists the variables.
`;

/** Parses the command line. Throws a UsageError. */
export function parseStartOptions(args: string[]): StartOptions {
  const { port, ...others } = parseFlags(args, { port: TEXT, data: { ...TEXT, default: DEFAULT_DATA }, fresh: FLAG });
  if (!others.data) throw new UsageError('--data takes a folder.');
  return { ...others, port: portOf('--port', port) };
}

/** Returns the port in an option. Throws a UsageError. */
export const portOf = (name: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : wholeNumber(name, text, { min: 1, max: 65_535 });
