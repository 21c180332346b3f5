import { HELP_FLAG, seedOf, TEXT, wholeNumber } from '@recording-request/harness/options';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import type { Row } from './row.ts';

export interface Options {
  rows: readonly Row[];
  /** The number of rounds; undefined uses the default of each row. */
  rounds: number | undefined;
  /** True limits the run to an hour, if neither rows nor rounds are given. */
  bounded: boolean;
  seed: number;
  /** The folder for CPU profiles of the services. */
  profile: string | undefined;
  /** True counts operations instead of measuring rows. */
  counts: boolean;
  /** The commit to compare with the current commit. */
  against: string | undefined;
  help: boolean;
}

/** The default number of rounds of a row. */
export const ROUNDS = 9;
/** An undecided row gets more rounds, up to this number. */
export const MAX_ROUNDS = 36;
/** A run with fewer rounds shows figures without a verdict, and does not store results. */
export const MIN_ROUNDS = 9;

export const helpOf = (
  rows: readonly Row[],
): string => `npm run bench [-- ROW… [--rounds N] [--seed N] [--profile DIR] [--help]]
npm run bench -- counts [--against COMMIT]
npm run bench -- --against COMMIT [--rounds N]

Compares the product with alternatives on the same servers, and reports for each goal: met, missed or undecided. Without ROW,
measures all rows except those marked "only when named", for an hour at most. Lists the rows that did not fit, which can be measured
alone. First installs and builds missing programs, outside the hour. Do not use the machine meanwhile.

  ROW         one or more row numbers, such as 1 3; the times are for nine rounds:
${rows.map(row => `              ${row.name.padStart(3)}  ${row.title} (about ${row.minutes} min${row.named ? ', only when named' : ''})`).join('\n')}
  counts      counts MongoDB operations, RPCs, Kafka records and store requests of each kind of request and of one clip
  --against COMMIT
              compares reads of the current services with those of another commit, on the same servers in alternation
  --rounds N  measures N rounds of each row (default: ${ROUNDS}, and up to ${MAX_ROUNDS} while a goal is undecided). Fewer than ${MIN_ROUNDS} have no
              verdict, and no results are written
  --seed N    repeats the order of the variants of another run
  --profile DIR
              keeps a CPU profile of each service process in DIR, for a browser's developer tools, and prints which packages and
              functions used the time. Profiling takes time itself, so no results are written
  --help      prints this text

Keeps the newest result of each row in tools/bench/results.json and the table of docs/performance.md. How to read them: tools/bench/README.md.
`;

/** Parses the command line. Throws a UsageError with a sentence for the user. */
export function parseOptions(args: string[], all: readonly Row[]): Options {
  const { values, positionals } = parse(args);
  const counts = positionals.length === 1 && positionals[0] === 'counts';
  const isOther = counts || values.against !== undefined;
  if (values.against !== undefined && !counts && positionals.length > 0)
    throw new UsageError('--against measures only reads: omit the rows.');
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
