import { FLAG, named, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';
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
  const {
    seed = Date.now().toString(36),
    cases,
    submissions,
    scale,
    ...flags
  } = parseFlags(args, {
    ...{ seed: TEXT, cases: TEXT, submissions: TEXT },
    ...{ short: FLAG, scale: FLAG, list: FLAG },
  });
  if (scale && cases !== undefined) throw new UsageError('--scale is a case of its own: leave out --cases.');
  return {
    ...{ ...flags, seed, scale },
    submissions: wholeNumber('--submissions', submissions ?? String(usual(scale)), { min: 1, max: 999_999 }),
    cases: scale ? [twoThousandClips] : named(cases, all, 'case'),
  };
}

const usual = (scale: boolean) => (scale ? SCALE_SUBMISSIONS : SUBMISSIONS);

/** The arguments that repeat the same choices. */
export function replay({ seed, cases, submissions, short, scale }: Options, all: FaultCase[]): string {
  const named = cases.length < all.length ? ` --cases ${cases.map(({ name }) => name).join(',')}` : '';
  const some = scale ? ' --scale' : named;
  const many = submissions === usual(scale) ? '' : ` --submissions ${submissions}`;
  return `--seed ${seed}${some}${many}${short ? ' --short' : ''}`;
}

/** Divides `submissions` among the cases by weight. */
export function shares(cases: FaultCase[], submissions: number): number[] {
  const sum = cases.reduce((total, { weight = 1 }) => total + weight, 0);
  return cases.map(({ weight = 1 }) => (weight === 0 ? 0 : Math.max(FEWEST, Math.ceil((submissions * weight) / sum))));
}
