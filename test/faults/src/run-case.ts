import { check } from './check/checker.ts';
import type { FaultCase } from './fault-case.ts';
import { createRandom } from './random.ts';
import { openBench } from './stage/bench.ts';
import { SERVERS } from './wire/wires.ts';

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
  signal: AbortSignal;
}

const CASE_MS = 12 * 60_000;

/** Opens a bench, breaks what the case breaks, mends it, and lets the checker decide. Rejects only when the bench does not open. */
export async function runCase(fault: FaultCase, options: CaseOptions): Promise<CaseResult> {
  const began = Date.now();
  const random = createRandom(`${options.seed}/${fault.name}`);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(CASE_MS)]);
  const { serversEnv, dir, submissions, short } = options;
  await using bench = await openBench(fault.stage ?? {}, { serversEnv, dir, random: random.fork('bench'), signal });
  const violations: string[] = [];
  try {
    await fault.run(bench, { random: random.fork('case'), submissions, short, signal });
    await mend(bench);
    violations.push(...(await check(bench, random.fork('check'))));
  } catch (error) {
    violations.push(`${(error as Error).stack ?? error}`, ...bench.violations);
  }
  if (violations.length > 0) bench.keep();
  const { ledger, doors, dataDir } = bench;
  return {
    ...{ name: fault.name, promise: fault.promise, violations },
    ...{ ok: ledger.count('ok'), failed: ledger.count('failed'), unknown: ledger.count('unknown') },
    incidents: doors.incidents.length,
    seconds: Math.round((Date.now() - began) / 1_000),
    dataDir: violations.length > 0 ? dataDir : undefined,
  };
}

/** Whatever a case left broken: the checker looks at a service whose surroundings are whole. */
async function mend(bench: Awaited<ReturnType<typeof openBench>>): Promise<void> {
  for (const server of SERVERS) await bench.wires(server).pass();
  for (const process of bench.fleet.all()) {
    bench.fleet.resume(process);
    const wanted = process.starts > 0 && process.index === 0;
    if (wanted) await bench.fleet.start(process);
  }
}
