import type { MachineTime } from '@recording-request/harness/meter';
import { type Finding, type Goal, judge, judgeSelf, type Metrics, type Round } from './goal.ts';
import { shuffled } from './random.ts';

export interface Sample {
  metrics: Metrics;
  machine: MachineTime;
}

export interface RoundsOptions {
  variants: readonly string[];
  goals: readonly Goal[];
  /** The goals for the product compared with itself. If one goal fails, the row is void. */
  selfGoals: readonly Goal[];
  /** The number of counted rounds before an undecided row gets more. */
  rounds: number;
  /** An undecided row gets twice as many rounds, up to this number. */
  maxRounds: number;
  /** Returns true if an undecided row may have that many more rounds. */
  mayContinue?: (moreRounds: number) => boolean;
  /**
   * Returns true if there is time for another round. Without time, a row without its first rounds counts as not
   * measured; a row with them is judged.
   */
  hasTime?: () => boolean;
  /** Accepts rounds on a busy machine, because the figures get no verdict. */
  anyNoise?: boolean;
  random: () => number;
  /** The number of turns of each variant in a round; one by default. The mean of the turns is the figure. */
  turns?: number | undefined;
  /** Measures all variants at the same time, started in random order, instead of one after the other. */
  atOnce?: boolean | undefined;
  measure: (variant: string) => Promise<Sample>;
  /** Called after each round. `at` is 0 for the dropped round. */
  onRound?: (at: number, of: number, noise: number) => void;
  /** Called with the undecided goals before a row gets more rounds. */
  onOpen?: (open: readonly Finding[]) => void;
}

export interface RowOutcome {
  state: 'judged' | 'void' | 'not measured';
  /** The reason why a row was not judged. */
  why?: string;
  rounds: Round[];
  findings: Finding[];
  selfFindings: Finding[];
}

/** A round is repeated if other processes used this share of the CPU time. */
export const NOISE_LIMIT = 0.05;
/** The maximum number of repetitions of a round. */
export const REPEATS = 3;

/**
 * Measures every variant in each round, in random order or all at the same time, and judges the goals. Drops the first round, which
 * fills caches, opens connections and compiles code. Rejects with the error of `measure`.
 */
export async function runRounds(options: RoundsOptions): Promise<RowOutcome> {
  const { goals, selfGoals, mayContinue = () => true } = options;
  let { maxRounds } = options;
  const rounds: Round[] = [];
  const outcome = (state: RowOutcome['state'], why?: string): RowOutcome => ({
    state,
    ...(why && { why }),
    rounds,
    findings: goals.map(goal => judge(goal, rounds)),
    selfFindings: selfGoals.map(goal => judgeSelf(goal, rounds, selfGoals.length)),
  });

  const first = await takeRound(options);
  options.onRound?.(0, options.rounds, first.noise);
  for (let wanted = options.rounds; ; wanted = Math.min(2 * wanted, maxRounds)) {
    while (rounds.length < wanted) {
      const quiet = await takeQuietRound(options, rounds.length + 1, wanted);
      if (quiet.round) rounds.push(quiet.round);
      else if (quiet.isLate && rounds.length >= options.rounds) wanted = maxRounds = rounds.length;
      else return outcome('not measured', quiet.why);
    }
    const { findings, selfFindings } = outcome('judged');
    const open = [...findings, ...selfFindings].filter(({ verdict }) => verdict === 'undecided');
    if (open.length > 0 && wanted < maxRounds && mayContinue(Math.min(wanted, maxRounds - wanted))) {
      options.onOpen?.(open);
      continue;
    }
    const failed = selfFindings.find(({ verdict }) => verdict === 'undecided');
    return failed ? outcome('void', `the product compared with itself: ${differs(failed)}`) : outcome('judged');
  }
}

async function takeQuietRound(options: RoundsOptions, at: number, of: number) {
  const { hasTime = () => true } = options;
  for (let repeats = 0; ; repeats++) {
    if (!hasTime()) return { why: outOfTime(at - 1, of), isLate: true };
    const { round, noise } = await takeRound(options);
    options.onRound?.(at, of, noise);
    if (noise < NOISE_LIMIT || options.anyNoise) return { round };
    if (repeats === REPEATS) return { why: tooNoisy(noise) };
  }
}

async function takeRound({ variants, turns = 1, atOnce = false, random, measure }: RoundsOptions) {
  const taken: Record<string, Metrics[]> = Object.fromEntries(variants.map(variant => [variant, []]));
  let [all, noise] = [0, 0];
  const take = async (variant: string) => {
    const { metrics, machine } = await measure(variant);
    taken[variant]!.push(metrics);
    all += machine.all;
    noise += machine.foreign + machine.stolen;
  };
  for (let turn = 0; turn < turns; turn++)
    if (atOnce) await Promise.all(shuffled(variants, random).map(take));
    else for (const variant of shuffled(variants, random)) await take(variant);
  const round: Round = Object.fromEntries(
    Object.entries(taken).map(([variant, metrics]) => [variant, meanOf(metrics)]),
  );
  return { round, noise: all > 0 ? noise / all : 0 };
}

const meanOf = (taken: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    Object.keys(taken[0] ?? {}).map(name => [name, taken.reduce((sum, each) => sum + each[name]!, 0) / taken.length]),
  );

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const tooNoisy = (noise: number) =>
  `other processes or guests had ${percent(noise)} of the CPU time in a round and in ${REPEATS} repetitions of it`;

const outOfTime = (taken: number, of: number) => `the run's hour was over after ${taken} of ${of} rounds`;

const differs = ({ goal, interval }: Finding) =>
  `${goal.text} ${interval!.low.toFixed(3)} to ${interval!.high.toFixed(3)} (must contain 1.00 and stay within ± 5 %)`;
