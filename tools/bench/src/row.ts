import type { Log } from '@recording-request/stack/log';
import type { Need, Peers } from './peers/peers.ts';
import type { Product } from './product/product.ts';
import type { Goal } from './stats/goal.ts';
import type { Sample } from './stats/rounds.ts';

/** How much a row does for one sample. */
export interface Scale {
  /** CPU time that a figure of CPU time is made of at least, in ticks. */
  minTicks: number;
  /** How long a closed loop runs at least. */
  minSeconds: number;
  /** The clips of an archive. */
  clips: number;
  /** The large video and the large upload. */
  largeBytes: number;
  /** The clip that becomes media: seconds and pixels. */
  clip: { seconds: number; width: number; height: number };
  /** How often what takes under a second is done for one sample. */
  repeats: number;
  /** The project and the owner with much. */
  growth: { submissions: number; links: number; projects: number };
}

export const FULL: Scale = {
  minTicks: 300,
  minSeconds: 2,
  clips: 200,
  largeBytes: 100e6,
  clip: { seconds: 30, width: 1280, height: 720 },
  repeats: 5,
  growth: { submissions: 100_000, links: 10_000, projects: 2_000 },
};
/** Enough to see that every variant answers what it should. */
export const CHECK: Scale = {
  minTicks: 1,
  minSeconds: 0,
  clips: 2,
  largeBytes: 2e6,
  clip: { seconds: 3, width: 320, height: 180 },
  repeats: 1,
  growth: { submissions: 200, links: 20, projects: 10 },
};

/** What a row is given: the product, its peers, and a folder that is removed at the end. */
export interface Bench {
  dir: string;
  log: Log;
  signal: AbortSignal;
  scale: Scale;
  product: Product;
  peers: Peers;
  /** Where CPU profiles of the services are kept, if they are. */
  profile?: string | undefined;
}

/** One row of the table. */
export interface Row {
  /** Its number, as the command line and the table name it. */
  name: string;
  title: string;
  needs: readonly Need[];
  goals: readonly Goal[];
  /** The metrics in which the product must equal itself. */
  self: readonly Goal[];
  /** Needs an idle machine, services of its own or much time, so that `npm test` leaves it out. */
  alone?: boolean;
  /** Measured only where it is named: a run of all rows would take more than an hour with it. */
  named?: boolean;
  /** How many rounds it has, where nine are not enough. */
  rounds?: number;
  /** How often each variant has its turn in a round, whose figure is the mean: a machine that is slow for seconds is so for all of them. */
  turns?: number;
  /**
   * Measures all variants at the same time, on a machine whose speed changes: for CPU time, which is that of each one's processes, or where
   * each request waits for its turn (`oneByOne`), so that those of all variants alternate.
   */
  atOnce?: boolean;
  /** How long nine rounds take on two cores, preparation included. */
  minutes: number;
  /**
   * Makes what is measured, starts the peers, and checks that every variant answers the same. What it starts is released
   * through `stack`. Rejects with a sentence about the first variant that answers something else.
   */
  prepare(bench: Bench, stack: AsyncDisposableStack): Promise<Prepared>;
}

/** Takes one sample of a variant. */
export type Prepared = Readonly<Record<string, () => Promise<Sample>>>;

/** The product, and the same once more. */
export const PRODUCT = 'product';
export const AGAIN = 'product again';

/** The goals by which the product must equal itself in these metrics. */
export const itself = (...metrics: string[]): Goal[] =>
  metrics.map(metric => ({ text: `${metric} of the product beside itself`, metric, of: PRODUCT, to: AGAIN }));

/** The variants of the product and of its twin. */
export const twice = (take: () => Promise<Sample>): Prepared => ({ [PRODUCT]: take, [AGAIN]: take });

/** Fails with a sentence where a variant does not answer what it should. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [actual, expected].map(value => JSON.stringify(value)?.slice(0, 500));
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}.`);
}
