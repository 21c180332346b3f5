import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { DRILLS } from './drills/all.ts';
import { DELAYS } from './drills/delays.ts';
import { stretched } from './limits.ts';
import type { Options } from './options.ts';
import { shuffled } from './order.ts';
import { quiet } from './quiet.ts';
import { runDelay } from './run-delay.ts';
import { type Result, runDrill } from './run-drill.ts';
import { openSystem, type System } from './system/system.ts';

interface Run {
  /** The folder of all files of the run. */
  dir: string;
  /** Each drill adds its result when it ends. */
  results: Result[];
  log(line: string): void;
  signal: AbortSignal;
}

const WARM_MS = 120_000;
const QUIET_MS = 240_000;
/** Before a delay, the system runs this long without faults, because the runbook's query compares both times. */
const CALM_MS = 40_000;

/**
 * Runs the requested drills on one system, in an order that the seed determines. The drills that delay one step run before
 * the others, because their query compares with earlier values.
 */
export async function runAll({ only, factor, seed }: Options, { dir, results, log, signal }: Run): Promise<void> {
  const random = createRandom(seed);
  // The folder's name also names the run's databases, topics and bucket.
  const dataDir = join(dir, `d${randomBytes(5).toString('hex')}`);
  await using system = await openSystem({ dataDir, factor, random, log, signal });
  signal.throwIfAborted();
  log('… the system runs; waiting for metrics, and until no alert fires');
  await warm(system, signal);
  const chosen = <T extends { name: string }>(all: readonly T[]) =>
    shuffled(all, random.fork('order')).filter(({ name }) => only.includes(name));
  for (const each of chosen(DELAYS)) {
    log(`… ${each.name}: ${each.what}`);
    await delay(stretched(CALM_MS, factor), undefined, { signal });
    report(await runDelay(each, system, signal));
  }
  for (const each of chosen(DRILLS)) {
    log(`… ${each.name}: ${each.promise}`);
    report(await runDrill(each, system, signal));
  }
  if (results.some(({ misses }) => misses.length > 0)) system.keep();

  function report(result: Result): void {
    results.push(result);
    const { row, misses, notes } = result;
    const after = row.after === undefined ? 'did not fire' : `after ${Math.round(row.after)} s`;
    log(`${misses.length === 0 ? '✔' : '✖'} ${row.name}: ${row.expected} ${after}`);
    for (const line of [...notes, ...misses]) log(`    ${line}`);
  }
}

/** Waits until clips are completed, Prometheus has their metrics, and no alert fires. */
async function warm(system: System, signal: AbortSignal): Promise<void> {
  const figures = async () => {
    const [sample] = await system.prometheus.now('sum(recording_transcript_delay_seconds_count)');
    return sample && sample.points[0]![1] > 0 ? true : undefined;
  };
  await waitFor('the figures of a transcript', figures, { timeoutMs: WARM_MS, intervalMs: 500, signal });
  if ((await quiet(system, { limitMs: stretched(QUIET_MS, system.factor), signal })) === undefined) {
    const alerts = await system.prometheus.alerts();
    const firing = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    throw new Error(`Before the first fault, alerts fired: ${firing.join(', ')}. Run the drills on an idle machine.`);
  }
}
