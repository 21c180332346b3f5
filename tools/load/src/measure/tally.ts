import { quantile } from '@recording-request/bench/stats/interval';

/** The timed operations, in the order of display. */
export const TIMED = [
  'recording page',
  'each PATCH',
  'last byte → landed',
  'landed → webhook',
  'landed → processed',
  'landed → transcript',
  'owner: list',
  'owner: project',
  'owner: video range',
  'owner: thumbnail',
] as const;
export type Timed = (typeof TIMED)[number];

/** The operations that a user waits for. All other operations run later. */
export const AWAITED: readonly Timed[] = TIMED.filter(name => !name.startsWith('landed →'));

/** The latencies of one operation, in milliseconds. */
export interface Latency {
  count: number;
  p50: number;
  p95: number;
  p99: number;
}

/** The results of the requests in one part of a run. */
export interface Tally {
  /** Adds a latency in milliseconds. */
  took(what: Timed, ms: number): void;
  /** Counts a status of 400 or more, or a failed request. `retryAfter` is the value of the header Retry-After. */
  refused(what: string, status: number | string, retryAfter?: string): void;
  /** Counts a failure of a contributor. */
  failed(what: string): void;
  /** Counts a request that succeeded. */
  succeeded(): void;
  read(): TallyResult;
}

export interface TallyResult {
  requests: number;
  latencies: Partial<Record<Timed, Latency>>;
  errors: Record<string, number>;
  /** The number of refusals by request: 503 or 429 with Retry-After. */
  shed: Record<string, number>;
}

/** The statuses that ask a client to retry later. */
const SHED = new Set<number | string>([429, 503]);

export function createTally(): Tally {
  const times = new Map<Timed, number[]>();
  const [errors, shed]: [Record<string, number>, Record<string, number>] = [{}, {}];
  let requests = 0;
  const count = (counts: Record<string, number>, what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  return {
    took(what, ms) {
      const mine = times.get(what);
      if (mine) mine.push(ms);
      else times.set(what, [ms]);
    },
    refused(what, status, retryAfter) {
      requests += 1;
      if (!SHED.has(status)) count(errors, `${what}: ${status}`);
      else if (retryAfter && /^\d+$/.test(retryAfter)) count(shed, `${what}: ${status}`);
      else count(errors, `${what}: ${status} without Retry-After`);
    },
    failed: what => count(errors, what),
    succeeded() {
      requests += 1;
    },
    read: () => ({
      requests,
      latencies: Object.fromEntries(
        TIMED.flatMap(name => {
          const values = times.get(name);
          return values ? [[name, latencyOf(values)]] : [];
        }),
      ),
      errors: { ...errors },
      shed: { ...shed },
    }),
  };
}

export function latencyOf(values: readonly number[]): Latency {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => quantile(values, share)) as [number, number, number];
  return { count: values.length, p50, p95, p99 };
}

export const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((all, each) => all + each, 0);
