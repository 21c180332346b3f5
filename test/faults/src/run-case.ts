import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { check } from './check/checker.ts';
import { OUTCOMES } from './contributors/ledger.ts';
import type { FaultCase } from './fault-case.ts';
import { openBench } from './harness/harness.ts';
import { SERVERS } from './proxy/proxies.ts';
import { createRandom } from './random.ts';

export interface CaseResult {
  name: string;
  promise: string;
  ok: number;
  failed: number;
  unknown: number;
  /** Requests that were answered with 500 or more, or not at all. */
  incidents: number;
  seconds: number;
  violations: string[];
  /** Where its logs are, when there were violations. */
  dataDir: string | undefined;
}

export interface CaseOptions {
  seed: string;
  submissions: number;
  short: boolean;
  serversEnv: Record<string, string>;
  /** Keeps the case's data and logs while it runs, and after it when it failed. */
  dir: string;
  /** Aborted: the case is given up, nothing is judged, and `runCase` rejects with the reason. */
  signal: AbortSignal;
  /** Hears now and then how far the case is. */
  log?: (line: string) => void;
}

const CASE_MS = 12 * 60_000;
const BEAT_MS = 20_000;

/** Opens a bench, breaks what the case breaks, mends it, and lets the checker decide. A bench that does not open is a violation. */
export async function runCase(fault: FaultCase, options: CaseOptions): Promise<CaseResult> {
  const began = Date.now();
  // Random, not of the seed: the same seed may run twice against the same servers.
  const dataDir = join(options.dir, `f${randomBytes(5).toString('hex')}`);
  const told = await onBench(fault, dataDir, options).catch(error => ({
    ...{ ok: 0, failed: 0, unknown: 0, incidents: 0 },
    violations: [`the case could not be set up or cleared away: ${traceOf(error)}`],
  }));
  options.signal.throwIfAborted();
  return {
    ...{ name: fault.name, promise: fault.promise, ...told },
    seconds: Math.round((Date.now() - began) / 1_000),
    dataDir: told.violations.length > 0 ? dataDir : undefined,
  };
}

async function onBench(fault: FaultCase, dataDir: string, options: CaseOptions) {
  const { seed, serversEnv, submissions, short, log = () => {} } = options;
  const random = createRandom(`${seed}/${fault.name}`);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(CASE_MS)]);
  await using bench = await openBench(fault.stage ?? {}, { serversEnv, dataDir, random: random.fork('bench'), signal });
  const judge = async () => {
    await fault.run(bench, { random: random.fork('case'), submissions, short, signal });
    await mend(bench);
    return check(bench, random.fork('check'));
  };
  const began = Date.now();
  const beat = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1_000);
    const [ok, failed, open] = OUTCOMES.map(it => bench.ledger.count(it));
    log(`    ${seconds} s: ${ok} ok, ${failed} failed, ${open} under way or unknown`);
  }, BEAT_MS);
  const violations: string[] = [];
  try {
    violations.push(...(await within(signal, judge())));
  } catch (error) {
    violations.push(traceOf(error), ...bench.violations);
  } finally {
    clearInterval(beat);
  }
  options.signal.throwIfAborted();
  if (violations.length > 0) bench.keep();
  const { ledger, doors } = bench;
  return {
    ...{ ok: ledger.count('ok'), failed: ledger.count('failed'), unknown: ledger.count('unknown') },
    incidents: doors.incidents.length,
    violations,
  };
}

/** Does not wait for work that was given up: what it stands on is taken away below it. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

const traceOf = (error: unknown) => (error instanceof Error && error.stack) || String(error);

/** Whatever a case left broken: the checker looks at a service whose surroundings are whole. */
async function mend(bench: Awaited<ReturnType<typeof openBench>>): Promise<void> {
  for (const server of SERVERS) await bench.wires(server).pass();
  for (const process of bench.fleet.all()) {
    bench.fleet.resume(process);
    const wanted = process.starts > 0 && process.index === 0;
    if (wanted) await bench.fleet.start(process);
  }
}
