import { check } from '@recording-request/fault-test/check/checker';
import type { CaseResult } from '@recording-request/fault-test/run-case';
import { createRandom } from '@recording-request/stack/random';
import type { ClusterCase } from './cluster-case.ts';
import { type ClusterHarness, type Installed, openHarness } from './harness.ts';
import { type Unbuilt, validatedOnly } from './validated-only.ts';

export interface RunOptions {
  seed: string;
  cases: ClusterCase[];
  unbuilt: Unbuilt;
  clips: number;
  log(line: string): void;
  signal: AbortSignal;
}

const CASE_MS = 20 * 60_000;

/** Runs the cases in sequence on one installation; after each, the checker decides. */
export async function runCases(installed: Installed, options: RunOptions): Promise<CaseResult[]> {
  const { cases, unbuilt, log, seed, signal } = options;
  const results: CaseResult[] = [];
  for (const [at, each] of cases.entries()) {
    log(`… ${at + 1} of ${cases.length}, ${each.name}: ${each.promise}`);
    const row = validatedOnly(each, unbuilt);
    const result = row ?? (await runCase(each, installed, options));
    results.push(result);
    if (row) {
      log(`– ${each.name}: ${row.promise}`);
      continue;
    }
    log(`${result.violations.length === 0 ? '✔' : '✖'} ${each.name}: ${result.ok} ok in ${result.seconds} s`);
    for (const line of [...result.notes, ...result.violations]) log(`    ${line}`);
    signal.throwIfAborted();
  }
  log(`seed ${seed}`);
  return results;
}

async function runCase(
  each: ClusterCase,
  installed: Installed,
  { seed, clips, signal }: RunOptions,
): Promise<CaseResult> {
  const began = Date.now();
  const random = createRandom(`${seed}/${each.name}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(each.limitMs ?? CASE_MS)]);
  await using harness = await openHarness(installed, random, limit);
  const violations = await judge(each, harness, { random, clips }).catch(async error => {
    await forget(harness);
    return [String((error as Error).stack ?? error), ...harness.violations];
  });
  const { ledger, gateway, notes } = harness;
  return {
    ...{ name: each.name, promise: each.promise, violations, notes, dataDir: undefined },
    ...{ ok: ledger.count('ok'), failed: ledger.count('failed'), unknown: ledger.count('unknown') },
    incidents: gateway.incidents.length,
    seconds: Math.round((Date.now() - began) / 1000),
  };
}

/**
 * Erases the data of an interrupted case. The case's receiver has ended, so remaining deliveries would reach the next
 * case's receiver.
 */
async function forget({ owner, violated }: ClusterHarness): Promise<void> {
  for (const { projectId } of owner.projects)
    await owner
      .ask(`/api/projects/${projectId}`, { method: 'DELETE' })
      .catch(error => violated(`its project could not be erased: ${(error as Error).message}`));
}

async function judge(
  each: ClusterCase,
  harness: ClusterHarness,
  plan: Parameters<ClusterCase['run']>[1],
): Promise<string[]> {
  await each.run(harness, plan);
  return await check(harness, plan.random.fork('check'));
}
