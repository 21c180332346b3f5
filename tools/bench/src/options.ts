import { HELP_FLAG, seedOf, TEXT, wholeNumber } from '@recording-request/harness/options';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import type { Row } from './row.ts';

export interface Options {
  rows: readonly Row[];
  /** Undefined: as many as each row has by itself. */
  rounds: number | undefined;
  /** Whether the run is to end after an hour, as it does where neither rows nor rounds were asked for. */
  bounded: boolean;
  seed: number;
  /** Where CPU profiles of the services are kept. */
  profile: string | undefined;
  /** Counts operations in place of measuring rows. */
  counts: boolean;
  /** The commit whose services are measured, or counted, beside today's. */
  against: string | undefined;
  help: boolean;
}

/** How many rounds a row begins with. */
export const ROUNDS = 9;
/** An undecided row is given more rounds, up to this. */
export const MAX_ROUNDS = 36;
/** Fewer rounds give figures and no verdict: nothing is written. */
export const MIN_ROUNDS = 9;

export const helpOf = (
  rows: readonly Row[],
): string => `npm run bench [-- ROW… [--rounds N] [--seed N] [--profile DIR] [--help]]
npm run bench -- counts [--against COMMIT]
npm run bench -- --against COMMIT [--rounds N]

Measures the product beside what people would use instead, before the same servers, and says of each goal: met, missed or
undecided. Without ROW all are measured but those that say otherwise, in an hour at most: what does not fit is told, and can be measured
alone. Installs and builds what is missing, which is not of the hour. Leave the machine alone meanwhile.

  ROW         the number of a row, or several, as in 1 3; the time is that of nine rounds:
${rows.map(row => `              ${row.name.padStart(2)}  ${row.title} (about ${row.minutes} min${row.named ? ', only where it is named' : ''})`).join('\n')}
  counts      counts MongoDB operations, RPCs, Kafka records and store requests of each kind of request and of one clip, from outside
  --against COMMIT
              measures reads of today's services beside those of another commit, on the same servers in alternation
  --rounds N  so many rounds of each row (default: ${ROUNDS}, and up to ${MAX_ROUNDS} where they decide nothing). Under ${MIN_ROUNDS} there is no
              verdict and nothing is written
  --seed N    repeats the order of the variants of another run
  --profile DIR
              keeps a CPU profile of each process of the services in DIR, for a browser's developer tools, and prints what used
              their time. Profiling takes time itself: nothing is written
  --help      this text

Keeps the newest result of each row in tools/bench/results.json and the table of docs/performance.md. How to read them: tools/bench/README.md.
`;

/** Parses the command line. Throws a UsageError with a sentence for the user. */
export function parseOptions(args: string[], all: readonly Row[]): Options {
  const { values, positionals } = parse(args);
  const counts = positionals.length === 1 && positionals[0] === 'counts';
  const isOther = counts || values.against !== undefined;
  if (values.against !== undefined && !counts && positionals.length > 0)
    throw new UsageError('--against measures reads alone: it takes no row.');
  const unknown = isOther ? undefined : positionals.find(name => !all.some(row => row.name === name));
  if (unknown !== undefined)
    throw new UsageError(`There is no row ${unknown}: name one of ${all.map(row => row.name).join(', ')}.`);
  return {
    rows: all.filter(row => (positionals.length === 0 ? !row.named : positionals.includes(row.name))),
    rounds:
      values.rounds === undefined ? undefined : wholeNumber('--rounds', values.rounds, { min: 1, max: MAX_ROUNDS }),
    bounded: positionals.length === 0 && values.rounds === undefined,
    seed: seedOf(values.seed),
    profile: values.profile,
    counts,
    against: values.against,
    help: values.help,
  };
}

function parse(args: string[]) {
  return parseCommandLine({
    args,
    allowPositionals: true,
    options: { rounds: TEXT, seed: TEXT, profile: TEXT, against: TEXT, help: HELP_FLAG },
  });
}
