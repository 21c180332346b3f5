import { decimal, parseFlags, seedOf, TEXT, wholeNumber } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';

export interface Options {
  minutes: number;
  /** The shares of the capacity in percent, in the order of the steps. */
  steps: readonly number[];
  /** The capacity in clips a minute; undefined to measure it. */
  capacity: number | undefined;
  seed: number;
  help: boolean;
}

const MINUTES = 10;
const MOST_MINUTES = 600;
const STEPS = '50,80,150';
const MOST_PERCENT = 1_000;
const MOST_CLIPS = 100_000;

export const HELP = `npm run load [-- options]

Starts the real servers and the product, measures how many clips a minute they complete (landed, processed, transcribed, webhook
sent), and then lets contributors and owners arrive at shares of that rate, even if the product cannot keep up. Prints a verdict on
each promise; exits with a status other than 0 if one was broken. Do not use the machine meanwhile.

  --minutes N      the duration of each step (default: ${MINUTES}; 0.5 is half a minute)
  --steps A,B      percent of the capacity, one step each (default: ${STEPS}). After a step above 100 users arrive at 50 % for two
                   minutes; in the second minute the product must be as fast as before
  --capacity N     clips a minute, instead of a measurement
  --seed N         repeats the arrivals and the choices of another run
  --help           this text

tools/load/README.md explains the method and the output. Ctrl-C removes everything.
`;

/** Parses the command line. Throws a UsageError with a sentence for the user. */
export function parseOptions(args: string[]): Options {
  const values = parseFlags(args, { minutes: TEXT, steps: TEXT, capacity: TEXT, seed: TEXT });
  const { minutes = String(MINUTES), steps = STEPS, capacity, seed, help } = values;
  return {
    minutes: decimal('--minutes', minutes, { min: 0.01, max: MOST_MINUTES }),
    steps: stepsOf(steps),
    capacity: capacity === undefined ? undefined : wholeNumber('--capacity', capacity, { min: 1, max: MOST_CLIPS }),
    seed: seedOf(seed),
    help,
  };
}

function stepsOf(text: string): number[] {
  const steps = text.split(',').map(each => (/^\d+$/.test(each) ? Number(each) : Number.NaN));
  if (steps.every(step => step >= 1 && step <= MOST_PERCENT)) return steps;
  throw new UsageError(
    `--steps takes whole numbers from 1 to ${MOST_PERCENT} with commas between them, not "${text}".`,
  );
}
