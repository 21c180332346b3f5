import { FLAG, named, parseFlags, TEXT, wholeNumber } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';
import { twoThousandClips } from './cases/two-thousand-clips.ts';
import type { FaultCase } from './fault-case.ts';

export interface Options {
  seed: string;
  cases: FaultCase[];
  submissions: number;
  short: boolean;
  /** True runs only the case of `--scale`. */
  scale: boolean;
  list: boolean;
  help: boolean;
}

const SUBMISSIONS = 540;
const SCALE_SUBMISSIONS = 2_000;
const FEWEST = 4;

export const HELP = `npm run faults [-- options]

Starts the real servers and services, sends takes over HTTP, injects faults, and lets a checker decide whether every promise was
kept. Prints a table; exits with a status other than 0 if one was broken. Takes more than half an hour.

  --cases A,B        only these cases; the beginning of a name is enough
  --scale            ${SCALE_SUBMISSIONS} clips at twenty links with continuous kills, instead of the cases: at most 45 minutes
  --submissions N    the approximate number of takes for all cases (default: ${SUBMISSIONS}; ${SCALE_SUBMISSIONS} with --scale). Each sends
                     ${FEWEST} or more; cases that choose their own number are extra
  --seed TEXT        repeat the choices of an earlier run, which printed its seed
  --short            smaller quantities and short outages, as in npm test
  --list             list the cases' promises; * marks the cases that npm test runs too
  --help             this text

The table's columns: takes that the service confirmed (ok), refused (failed) or never answered (unknown); incidents are requests
with a status of 500 or more or without an answer, which are normal during a fault; violations are broken promises. A case with
violations keeps its logs and prints their path; the others leave nothing. Ctrl-C removes everything.

The variables MONGO_URL, KAFKA_BROKERS, S3_… and SPEECH_… name running servers; the command then does not start its own.
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
  if (scale && cases !== undefined) throw new UsageError('--scale is a separate case: omit --cases.');
  return {
    ...{ ...flags, seed, scale },
    submissions: wholeNumber('--submissions', submissions ?? String(usual(scale)), { min: 1, max: 999_999 }),
    cases: scale ? [twoThousandClips] : named(cases, all, 'case'),
  };
}

const usual = (scale: boolean) => (scale ? SCALE_SUBMISSIONS : SUBMISSIONS);

/** Returns the arguments that repeat these choices. */
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
