import type { Log } from '@recording-request/stack/log';
import type { Need, Peers } from './peers/peers.ts';
import type { Product } from './product/product.ts';
import type { Goal } from './stats/goal.ts';
import type { Sample } from './stats/rounds.ts';

/** The amount of work for one sample of a row. */
export interface Scale {
  /** Minimum CPU time for a figure of CPU time, in ticks. */
  minTicks: number;
  /** Minimum duration of a closed loop. */
  minSeconds: number;
  clips: number;
  /** Size of the large video and the large upload. */
  largeBytes: number;
  /** Duration and picture size of the clip for a media job. */
  clip: { seconds: number; width: number; height: number };
  /** The number of repetitions, in one sample, of work that takes less than a second. */
  repeats: number;
  /** Sizes of the large project, of the owner with many projects, and of the long feed. */
  growth: { submissions: number; links: number; projects: number; events: number };
}

export const FULL: Scale = {
  minTicks: 300,
  minSeconds: 2,
  clips: 200,
  largeBytes: 100e6,
  clip: { seconds: 30, width: 1280, height: 720 },
  repeats: 5,
  growth: { submissions: 100_000, links: 10_000, projects: 2_000, events: 100_000 },
};
/** The small scale at which each variant's answer is checked. */
export const CHECK: Scale = {
  minTicks: 1,
  minSeconds: 0,
  clips: 2,
  largeBytes: 2e6,
  clip: { seconds: 3, width: 320, height: 180 },
  repeats: 1,
  growth: { submissions: 200, links: 20, projects: 10, events: 30 },
};

/** The environment of a row: the product, its peers, and a folder that the run removes at the end. */
export interface Bench {
  dir: string;
  log: Log;
  signal: AbortSignal;
  scale: Scale;
  product: Product;
  /** The SECRETS_KEY of the product's services. */
  secretsKey: string;
  peers: Peers;
  /** The folder for CPU profiles of the services, if they are wanted. */
  profile?: string | undefined;
}

export interface Row {
  /** The row's number on the command line and in the table. */
  name: string;
  title: string;
  needs: readonly Need[];
  goals: readonly Goal[];
  /** The metrics in which two measurements of the product must agree. */
  self: readonly Goal[];
  /** True if `npm test` skips the row, which needs an idle machine, its own services or much time. */
  alone?: boolean;
  /**
   * True if the row runs only when the command names it. With this row, a run of all rows would take more than an hour.
   */
  named?: boolean;
  /** The number of rounds; nine by default. */
  rounds?: number;
  /**
   * The number of turns of each variant in a round. The mean of the turns is the figure. With several turns, a machine
   * that is slow for seconds affects all variants.
   */
  turns?: number;
  /**
   * Measures all variants at the same time, because the machine's speed changes. Use it only for CPU time, which is
   * counted by process, or for requests that run one at a time (`oneByOne`), so that the variants alternate.
   */
  atOnce?: boolean;
  /** The minutes that the preparation and nine rounds take on two cores. */
  minutes: number;
  /**
   * Creates the data, starts the peers, and checks that every variant returns the same answer. `stack` ends everything
   * that this function starts. Rejects with a sentence about the first variant with a different answer.
   */
  prepare(bench: Bench, stack: AsyncDisposableStack): Promise<Prepared>;
}

/** The variants of a row; each function takes one sample. */
export type Prepared = Readonly<Record<string, () => Promise<Sample>>>;

/** The product, and the same product measured again. */
export const PRODUCT = 'product';
export const CONTROL = 'product again';

/** Returns one goal for each metric: two measurements of the product must agree in it. */
export const selfComparison = (...metrics: string[]): Goal[] =>
  metrics.map(metric => ({ text: `${metric} of the product beside itself`, metric, of: PRODUCT, to: CONTROL }));

/** Returns the two variants of the product. */
export const controlPair = (take: () => Promise<Sample>): Prepared => ({ [PRODUCT]: take, [CONTROL]: take });

/** Throws a sentence if a variant's answer is wrong. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [actual, expected].map(value => JSON.stringify(value)?.slice(0, 500));
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}.`);
}
