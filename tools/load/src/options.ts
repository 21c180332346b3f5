import { decimal, parseFlags, seedOf, TEXT, wholeNumber } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';

export interface Options {
  minutes: number;
  /** Shares of the capacity in percent, in the order in which they run. */
  steps: readonly number[];
  /** Clips a minute; undefined to measure it. */
  capacity: number | undefined;
  seed: number;
  /** The file that gets every figure. */
  json: string | undefined;
  help: boolean;
}

const MINUTES = 10;
const MOST_MINUTES = 600;
const STEPS = '50,80,150';
const MOST_PERCENT = 1_000;
const MOST_CLIPS = 100_000;

export const HELP = `npm run load [-- options]

Starts the real servers and the product, measures how many clips a minute they take through everything (landed, processed,
transcribed, webhook sent), and then has contributors and owners come at shares of that, whether or not the product keeps up.
Says of each promise whether it was kept; ends with a status other than 0 when one was not. Leave the machine alone meanwhile.

  --minutes N      how long each step lasts (default: ${MINUTES}; 0.5 is half a minute)
  --steps A,B      percent of the capacity, one step each (default: ${STEPS}). After one above 100 people come at 50 % for two
                   minutes: in the second the product must be as quick as before
  --capacity N     clips a minute, in place of measuring them
  --seed N         repeats the arrivals and the choices of another run
  --json FILE      writes every figure there
  --help           this text

What it does and how to read it: tools/load/README.md. Ctrl-C clears everything away.
`;

/** Parses the command line. Throws a UsageError with a sentence for the user. */
export function parseOptions(args: string[]): Options {
  const values = parseFlags(args, { minutes: TEXT, steps: TEXT, capacity: TEXT, seed: TEXT, json: TEXT });
  const { minutes = String(MINUTES), steps = STEPS, capacity, seed, json, help } = values;
  return {
    minutes: decimal('--minutes', minutes, { min: 0.01, max: MOST_MINUTES }),
    steps: stepsOf(steps),
    capacity: capacity === undefined ? undefined : wholeNumber('--capacity', capacity, { min: 1, max: MOST_CLIPS }),
    seed: seedOf(seed),
    json,
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
