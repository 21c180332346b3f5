import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { FACTOR } from './limits.ts';

export interface Options {
  only: string[];
  /** Windows of alerts are divided by it. */
  factor: number;
  list: boolean;
  help: boolean;
}

/** Under a greater one a window of five minutes holds too few samples. */
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

/** Parses the command line; `names` are those of all drills. Throws UsageError. */
export function parseOptions(args: string[], names: string[]): Options {
  const { only = '', factor = String(FACTOR), list, help } = valuesOf(args);
  if (!/^[1-9]\d{0,2}$/.test(factor) || Number(factor) > MOST)
    throw new UsageError(`--factor takes a number from 1 to ${MOST}, not "${factor}".`);
  const asked = only.split(',').filter(Boolean);
  const unknown = asked.find(name => !names.some(each => each.startsWith(name)));
  if (unknown) throw new UsageError(`No drill is called ${unknown}: see --list.`);
  const chosen = names.filter(name => asked.length === 0 || asked.some(each => name.startsWith(each)));
  return { only: chosen, factor: Number(factor), list, help };
}

function valuesOf(args: string[]) {
  return parseCommandLine({
    args,
    options: {
      only: { type: 'string' },
      factor: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}
