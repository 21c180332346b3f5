import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportFailure } from '@recording-request/stack/report-failure';
import { DRILLS } from './drills/all.ts';
import { DELAYS } from './drills/delays.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { runAll } from './run-all.ts';
import type { Result } from './run-drill.ts';
import { tableOf } from './table.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const NAMES = [...DELAYS, ...DRILLS].map(({ name }) => name);

const log = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), NAMES);
  if (options.help) log(HELP);
  else if (options.list) list();
  else return await drillAll(options);
  return 0;
}

function list(): void {
  for (const { name, promise, expects } of DRILLS) log(`${name}\n    ${expects.severity} ${expects.alert}: ${promise}`);
  for (const { name, step, what } of DELAYS) log(`${name}\n    the runbook's query names ${step}: ${what}`);
}

async function drillAll(options: Options): Promise<number> {
  const began = Date.now();
  const stop = new AbortController();
  let ended: (typeof STOP_SIGNALS)[number] | undefined;
  // Ctrl-C comes from the terminal and once more from npm: a second one must not cut the clearing away short.
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (ended) return;
      ended = name;
      log(`${name}: clearing away …`);
      stop.abort(new Error(`ended by ${name}`));
    });
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-drills-'));
  const results: Result[] = [];
  log(`Windows and waits of alerts are divided by ${options.factor}.`);
  let isKept = false;
  try {
    isKept = await runAll(options, { dir, results, log, signal: stop.signal });
  } catch (error) {
    if (!ended) throw error;
  } finally {
    if (!isKept) await rm(dir, { recursive: true, force: true });
  }
  const missed = results.filter(({ misses }) => misses.length > 0).length;
  log(`\n${tableOf(results.map(({ row }) => row))}\n`);
  const took = `${Math.round((Date.now() - began) / 6_000) / 10} minutes, windows divided by ${options.factor}`;
  if (ended) log(`Ended by ${ended} after ${results.length} of ${options.only.length} drills, ${took}.`);
  else log(missed > 0 ? `${missed} of ${results.length} drills missed; ${took}` : `every drill passed; ${took}`);
  if (isKept) log(`logs: ${dir}`);
  return ended ? 128 + constants.signals[ended] : Number(missed > 0);
}

try {
  process.exitCode = await main();
} catch (error) {
  reportFailure(error);
}
// Everything is closed by now, but what was given up may still wait for something.
process.exit();
