import { FLAG, named, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { FACTOR } from './limits.ts';

export interface Options {
  only: string[];
  /** The divisor of alert windows. */
  factor: number;
  list: boolean;
  help: boolean;
}

/** With a greater factor, a window of five minutes holds too few samples. */
const MOST = 60;

export const HELP = `npm run drills [-- options]

Starts the whole system under a steady load, with a collector, Prometheus and Alertmanager beside it, and breaks one thing after
the other: each of ten faults must fire its own alert and no other page; of a delay injected into each step of a clip's way, the
runbook's query must name that step. Prints a table; ends with a status other than 0 when one did not. At most half an hour,
on a machine that does nothing else: what alerts judge is how long things take.

  --only A,B     only these drills; a name's beginning is enough
  --factor N     what the alerts' windows and waits are divided by (default: ${FACTOR}; at most ${MOST})
  --list         what there is
  --help         this text

Disk full needs root, or the right to mount a tmpfs; elsewhere it is not tried, and the table says so. A run with a miss keeps its
logs and says where; the others leave nothing. Ctrl-C ends everything that was started.
`;

/** Parses the command line; `all` are all drills. Throws UsageError. */
export function parseOptions(args: string[], all: readonly { name: string }[]): Options {
  const { only, factor = String(FACTOR), ...flags } = parseFlags(args, { only: TEXT, factor: TEXT, list: FLAG });
  return {
    ...flags,
    only: named(only, all, 'drill').map(({ name }) => name),
    factor: wholeNumber('--factor', factor, { min: 1, max: MOST }),
  };
}
