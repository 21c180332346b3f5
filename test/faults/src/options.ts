import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { twoThousandClips } from './cases/two-thousand-clips.ts';
import type { FaultCase } from './fault-case.ts';

export interface Options {
  seed: string;
  cases: FaultCase[];
  submissions: number;
  short: boolean;
  /** The one case that `--scale` runs, in place of the others. */
  scale: boolean;
  list: boolean;
  help: boolean;
}

const SUBMISSIONS = 540;
const SCALE_SUBMISSIONS = 2_000;
const FEWEST = 4;

export const HELP = `npm run faults [-- options]

Starts the real servers and services, hands in takes over HTTP, breaks things, and then lets a checker decide whether every
promise was kept. Prints a table; ends with a status other than 0 when one was not. Takes more than half an hour.

  --cases A,B        only these cases; a name's beginning is enough
  --scale            instead of the cases ${SCALE_SUBMISSIONS} clips at twenty links at once, in a storm of kills: at most 45 minutes
  --submissions N    about how many takes the cases share (default: ${SUBMISSIONS}; ${SCALE_SUBMISSIONS} with --scale). Each hands in ${FEWEST} at the
                     least; those that choose a number of their own come on top
  --seed TEXT        replays the choices of an earlier run: the seed is printed
  --short            smaller quantities and short outages, as in npm test
  --list             what the cases promise; those with a * are also part of npm test
  --help             this text

The table's columns: takes that the service confirmed (ok), refused (failed), or never answered for (unknown); incidents
are requests answered with 500 or more, or not at all, as must happen while things are broken; violations are broken
promises. A case with violations keeps its logs and says where; the others leave nothing. Ctrl-C clears everything away.

Variables: MONGO_URL, KAFKA_BROKERS, S3_… and SPEECH_… name servers that already run; those are not started then.
`;

/** Parses the command line. Throws UsageError. */
export function parseOptions(args: string[], all: FaultCase[]): Options {
  const values = valuesOf(args);
  const { seed = Date.now().toString(36), short, scale, list, help } = values;
  if (scale && values.cases !== undefined) throw new UsageError('--scale is a case of its own: leave out --cases.');
  const { submissions = String(usual(scale)) } = values;
  if (!/^[1-9]\d{0,5}$/.test(submissions))
    throw new UsageError(`--submissions takes a number from 1 to 999999, not "${submissions}".`);
  const cases = scale ? [twoThousandClips] : chosen(values.cases, all);
  return { seed, short, scale, list, help, submissions: Number(submissions), cases };
}

const usual = (scale: boolean) => (scale ? SCALE_SUBMISSIONS : SUBMISSIONS);

function valuesOf(args: string[]) {
  return parseCommandLine({
    args,
    options: {
      seed: { type: 'string' },
      cases: { type: 'string' },
      submissions: { type: 'string' },
      short: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

/** The arguments that repeat the same choices. */
export function replay({ seed, cases, submissions, short, scale }: Options, all: FaultCase[]): string {
  const named = cases.length < all.length ? ` --cases ${cases.map(({ name }) => name).join(',')}` : '';
  const some = scale ? ' --scale' : named;
  const many = submissions === usual(scale) ? '' : ` --submissions ${submissions}`;
  return `--seed ${seed}${some}${many}${short ? ' --short' : ''}`;
}

function chosen(names: string | undefined, all: FaultCase[]): FaultCase[] {
  if (names === undefined) return all;
  return names.split(',').flatMap(name => {
    const found = all.filter(each => each.name.startsWith(name));
    if (found.length === 0) throw new UsageError(`No case is called ${name}: see --list.`);
    return found;
  });
}

/** Divides `submissions` among the cases by weight. */
export function shares(cases: FaultCase[], submissions: number): number[] {
  const sum = cases.reduce((total, { weight = 1 }) => total + weight, 0);
  return cases.map(({ weight = 1 }) => (weight === 0 ? 0 : Math.max(FEWEST, Math.ceil((submissions * weight) / sum))));
}
