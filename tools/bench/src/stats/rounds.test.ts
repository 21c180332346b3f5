import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Goal } from './goal.ts';
import { randomFrom } from './random.ts';
import { type RoundsOptions, runRounds } from './rounds.ts';

const QUIET = { all: 1000, foreign: 10, stolen: 10 };
const NOISY = { all: 1000, foreign: 30, stolen: 20 };
const goal: Goal = { text: 'rate', metric: 'rate', of: 'product', to: 'peer', atLeast: 1 };
const self: Goal = { text: 'rate', metric: 'rate', of: 'product', to: 'product again' };

/** Makes options; `rateOf` gets the variant and the number of its earlier measurements. */
function options(
  rateOf: (variant: string, times: number) => number,
  more: Partial<RoundsOptions> & { machineAt?: (sample: number) => typeof QUIET } = {},
) {
  const measuredVariants: string[] = [];
  const count = (variant: string) => measuredVariants.filter(each => each === variant).length;
  const { machineAt = () => QUIET, ...rest } = more;
  const made: RoundsOptions = {
    variants: ['product', 'product again', 'peer'],
    goals: [goal],
    selfGoals: [self],
    rounds: 9,
    maxRounds: 36,
    random: randomFrom(1),
    async measure(variant) {
      const metrics = { rate: rateOf(variant, count(variant)) };
      measuredVariants.push(variant);
      return { metrics, machine: machineAt(measuredVariants.length - 1) };
    },
    ...rest,
  };
  return { measuredVariants, made };
}

test('the first round is dropped and nine count, each with every variant once in a random order', async () => {
  const { measuredVariants, made } = options((variant, times) => (times === 0 ? 0.001 : variant === 'peer' ? 1 : 1.1));
  const { state, rounds, findings } = await runRounds(made);
  assert.equal(state, 'judged');
  assert.equal(findings[0]?.verdict, 'met');
  assert.equal(rounds.length, 9);
  assert.equal(measuredVariants.length, 30);
  const orders = Array.from({ length: 10 }, (_, at) => measuredVariants.slice(3 * at, 3 * at + 3));
  for (const order of orders) assert.equal(new Set(order).size, 3);
  assert.ok(new Set(orders.map(String)).size > 2, 'the order changes from round to round');
});

test('a round of several turns returns each variant’s mean, and measures all variants once before one repeats', async () => {
  const { measuredVariants, made } = options((variant, times) => (variant === 'peer' ? 1 : 1 + (times % 2)), {
    turns: 2,
  });
  const { rounds } = await runRounds(made);
  assert.deepEqual(rounds[0], { product: { rate: 1.5 }, 'product again': { rate: 1.5 }, peer: { rate: 1 } });
  for (let at = 0; at < measuredVariants.length; at += 3)
    assert.equal(new Set(measuredVariants.slice(at, at + 3)).size, 3);
});

test('with atOnce, a round measures all variants at the same time', async () => {
  let [running, most] = [0, 0];
  const { made } = options(() => 1, { atOnce: true });
  const measure: typeof made.measure = async variant => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return await made.measure(variant);
  };
  assert.equal((await runRounds({ ...made, measure })).state, 'judged');
  assert.equal(most, 3);
});

test('the same seed repeats the order', async () => {
  const [one, other] = [options(() => 1), options(() => 1)];
  await runRounds(one.made);
  await runRounds(other.made);
  assert.deepEqual(one.measuredVariants, other.measuredVariants);
});

test('an undecided goal gets twice the rounds, up to 36, and stays undecided', async () => {
  const { made } = options((variant, times) => (variant !== 'peer' ? 1 : times % 2 ? 0.9 : 1.1));
  const { state, rounds, findings } = await runRounds(made);
  assert.equal(state, 'judged');
  assert.equal(rounds.length, 36);
  assert.equal(findings[0]?.verdict, 'undecided');
});

test('rounds are doubled only while there is time', async () => {
  const more: number[] = [];
  const mayContinue = (rounds: number) => more.push(rounds) < 2;
  const reported: string[] = [];
  const { made } = options((variant, times) => (variant !== 'peer' ? 1 : times % 2 ? 0.9 : 1.1), {
    mayContinue,
    onOpen: open => reported.push(...open.map(({ goal: { text } }) => text)),
  });
  assert.equal((await runRounds(made)).rounds.length, 18);
  assert.deepEqual(more, [9, 18]);
  assert.deepEqual(reported, ['rate'], 'the undecided goal is reported');
});

test('a row without time for its first rounds is not measured', async () => {
  let checks = 0;
  const { made } = options(() => 1, { hasTime: () => checks++ < 4 });
  const { state, why, rounds } = await runRounds(made);
  assert.equal(state, 'not measured');
  assert.equal(rounds.length, 4);
  assert.match(String(why), /hour was over after 4 of 9 rounds/);
});

test('a row whose time ends later is judged by its finished rounds', async () => {
  let checks = 0;
  const { made } = options((variant, times) => (variant !== 'peer' ? 1 : times % 2 ? 0.9 : 1.1), {
    hasTime: () => checks++ < 12,
  });
  const { state, rounds, findings } = await runRounds(made);
  assert.equal(state, 'judged');
  assert.equal(rounds.length, 12);
  assert.equal(findings[0]?.verdict, 'undecided');
});

test('a noisy round is not repeated after the time limit', async () => {
  let checks = 0;
  const { made } = options(() => 1, {
    hasTime: () => checks++ < 2,
    machineAt: at => (at >= 3 ? NOISY : QUIET),
  });
  assert.equal((await runRounds(made)).state, 'not measured');
  assert.equal(checks, 3);
});

test('a row is void when the product differs from itself', async () => {
  const { made } = options(variant => (variant === 'product again' ? 0.9 : 1));
  const { state, why, rounds } = await runRounds(made);
  assert.equal(state, 'void');
  assert.equal(rounds.length, 36);
  assert.match(String(why), /1\.111 to 1\.111/);
});

test('a round in which other programs had 5 % of the CPU is repeated, and only the quiet one counts', async () => {
  // These are the samples of the second counted round. The dropped round and the first counted round have six samples.
  const { measuredVariants, made } = options(() => 1, { machineAt: at => (at >= 6 && at < 12 ? NOISY : QUIET) });
  const { state, rounds } = await runRounds(made);
  assert.equal(state, 'judged');
  assert.equal(rounds.length, 9);
  assert.equal(measuredVariants.length, 3 * (1 + 9 + 2));
});

test('a round that is noisy four times is not measured', async () => {
  const { measuredVariants, made } = options(() => 1, { machineAt: at => (at >= 6 ? NOISY : QUIET) });
  const { state, why, rounds } = await runRounds(made);
  assert.equal(state, 'not measured');
  assert.match(String(why), /5\.0 % .* 3 repetitions/);
  assert.equal(rounds.length, 1);
  assert.equal(measuredVariants.length, 3 * (1 + 1 + 4));
});

test('a run of few rounds has figures without a verdict, even on a busy machine', async () => {
  const { made } = options(() => 1, { rounds: 2, maxRounds: 2, anyNoise: true, machineAt: () => NOISY });
  const { state, findings, selfFindings } = await runRounds(made);
  assert.equal(state, 'judged');
  assert.deepEqual(
    [...findings, ...selfFindings].map(({ verdict }) => verdict),
    ['too few', 'too few'],
  );
});
