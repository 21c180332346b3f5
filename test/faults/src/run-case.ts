import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createRandom } from '@recording-request/stack/random';
import { check } from './check/checker.ts';
import { memoryOf } from './check/memory.ts';
import { OUTCOMES } from './contributors/ledger.ts';
import type { FaultCase } from './fault-case.ts';
import { openHarness } from './harness/harness.ts';
import { SERVERS } from './proxy/proxies.ts';

export interface CaseResult {
  name: string;
  promise: string;
  ok: number;
  failed: number;
  unknown: number;
  /** The number of requests with a status of 500 or more, or without a response. */
  incidents: number;
  seconds: number;
  violations: string[];
  /** The case's measurements. */
  notes: string[];
  /** The folder of its logs, if there were violations. */
  dataDir: string | undefined;
}

export interface CaseOptions {
  seed: string;
  submissions: number;
  short: boolean;
  serversEnv: Record<string, string>;
  /** The folder of the case's data and logs; a failed case keeps them. */
  dir: string;
  /** An abort ends the case without a verdict; `runCase` rejects with the reason. */
  signal: AbortSignal;
  /** Called every 20 seconds with the case's progress. */
  log?: (line: string) => void;
}

const CASE_MS = 12 * 60_000;
const BEAT_MS = 20_000;

/**
 * Opens a harness, runs the case, ends every fault, and lets the checker decide. If the harness does not open, that is a
 * violation.
 */
export async function runCase(fault: FaultCase, options: CaseOptions): Promise<CaseResult> {
  const began = Date.now();
  // Random and independent of the seed, because the same seed may run twice against the same servers.
  const dataDir = join(options.dir, `f${randomBytes(5).toString('hex')}`);
  const outcome = await runOnHarness(fault, dataDir, options).catch(error => ({
    ...{ ok: 0, failed: 0, unknown: 0, incidents: 0 },
    notes: [],
    violations: [`the case could not be set up or removed: ${traceOf(error)}`],
  }));
  options.signal.throwIfAborted();
  return {
    ...{ name: fault.name, promise: fault.promise, ...outcome },
    seconds: Math.round((Date.now() - began) / 1_000),
    dataDir: outcome.violations.length > 0 ? dataDir : undefined,
  };
}

async function runOnHarness(fault: FaultCase, dataDir: string, options: CaseOptions) {
  const { seed, serversEnv, submissions, short, log = () => {} } = options;
  const random = createRandom(`${seed}/${fault.name}`);
  const { limitMs = CASE_MS } = fault;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limitMs)]);
  await using harness = await openHarness(fault.harness ?? {}, {
    serversEnv,
    dataDir,
    random: random.fork('harness'),
    signal,
  });
  const judge = async () => {
    await fault.run(harness, { random: random.fork('case'), submissions, short, signal });
    await memoryOf(harness, fault.harness?.limited ?? []);
    await endFaults(harness);
    return check(harness, random.fork('check'), fault.restMs);
  };
  const began = Date.now();
  const beat = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1_000);
    const [ok, failed, open] = OUTCOMES.map(it => harness.ledger.count(it));
    log(`    ${seconds} s: ${ok} ok, ${failed} failed, ${open} in progress or unknown`);
  }, BEAT_MS);
  const violations: string[] = [];
  try {
    violations.push(...(await within(signal, judge())));
  } catch (error) {
    violations.push(traceOf(error), ...harness.violations);
  } finally {
    clearInterval(beat);
  }
  options.signal.throwIfAborted();
  if (violations.length > 0) harness.keep();
  const { ledger, gateway } = harness;
  return {
    ...{ ok: ledger.count('ok'), failed: ledger.count('failed'), unknown: ledger.count('unknown') },
    incidents: gateway.incidents.length,
    violations,
    notes: harness.notes,
  };
}

/** Rejects on an abort without waiting for the work, because the servers and processes of the work are about to end. */
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

/** Ends every fault that the case left, so that the checker sees services with working servers. */
async function endFaults(harness: Awaited<ReturnType<typeof openHarness>>): Promise<void> {
  for (const server of SERVERS) await harness.proxies(server).pass();
  for (const process of harness.fleet.all()) {
    harness.fleet.resume(process);
    const wanted = process.starts > 0 && process.index === 0;
    if (wanted) await harness.fleet.start(process);
  }
}
