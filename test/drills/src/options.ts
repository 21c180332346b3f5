import { FLAG, named, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { FACTOR } from './limits.ts';

export interface Options {
  only: string[];
  /** The seed for the random choices of the load and for the order of the drills. */
  seed: string;
  /** The divisor of alert windows. */
  factor: number;
  list: boolean;
  help: boolean;
}

/** The maximum: with a greater factor, a window of five minutes has too few samples. */
const MOST = 60;

export const HELP = `npm run drills [-- options]

Starts the whole system under a steady load, with a collector, Prometheus and Alertmanager, and causes one fault after the
other. Each fault must fire its own alert and no other page, while it lasts; for a delay in each step of a clip's
processing, the runbook's query must name that step. Prints a table; exits with a status other than 0 after a miss. Takes about
half an hour, on an otherwise idle machine, because alerts judge durations.

  --only A,B     run only these drills; the beginning of a name is enough
  --factor N     divide the alerts' windows and waits by N (default: ${FACTOR}; at most ${MOST})
  --seed TEXT    repeat the choices and the order of an earlier run, which printed its seed
  --list         list the drills
  --help         print this text

The drill disk-full needs root, or the right to mount a tmpfs; otherwise the table shows it as not tried. A run with a miss keeps
its logs and prints their folder; other runs keep no files. Ctrl-C ends all started processes.
`;

/** Parses the command line; `all` are all drills. Throws UsageError. */
export function parseOptions(args: string[], all: readonly { name: string }[]): Options {
  const {
    only,
    factor = String(FACTOR),
    seed = Date.now().toString(36),
    ...flags
  } = parseFlags(args, { only: TEXT, factor: TEXT, seed: TEXT, list: FLAG });
  return {
    ...{ ...flags, seed },
    only: named(only, all, 'drill').map(({ name }) => name),
    factor: wholeNumber('--factor', factor, { min: 1, max: MOST }),
  };
}
