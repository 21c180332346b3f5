import { join } from 'node:path';
import { FLAG, parseFlags, TEXT } from '@recording-request/harness/options';

export interface Options {
  keep: boolean;
  help: boolean;
  /** The folder of this run's results. */
  results: string;
}

/** The folder of all files of the demo except its results. */
export const DEMO_DIR = '.demo';

export const HELP = `npm run demo -- [options]

Starts all of Recording Request on this machine, plays an owner and three contributors over HTTP, and checks the
results: transcripts, media, webhooks, exports, one trace. Installs missing programs on the first run.
Exits with 0 if every check passed, otherwise with 1 and a sentence with the expected and the actual value.

  --keep         leaves everything running until Ctrl-C, and prints the addresses
  --results DIR  the folder for the results (default: ${DEMO_DIR}/results/<time>)
  --help         this text
`;

/** Parses the command line. Throws a UsageError. */
export function parseOptions(args: string[], now = new Date()): Options {
  const { results, ...flags } = parseFlags(args, { keep: FLAG, results: TEXT });
  const time = now.toISOString().slice(0, 19).replaceAll(':', '-');
  return { ...flags, results: results ?? join(DEMO_DIR, 'results', time) };
}
