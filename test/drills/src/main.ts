import { print, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { DRILLS } from './drills/all.ts';
import { DELAYS } from './drills/delays.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { runAll } from './run-all.ts';
import type { Result } from './run-drill.ts';
import { drillTable } from './table.ts';

await runCommand({ help: HELP, parse: args => parseOptions(args, [...DELAYS, ...DRILLS]), run: drillAll });

function list(): void {
  for (const { name, promise, expects } of DRILLS)
    print(`${name}\n    ${expects.severity} ${expects.alert}: ${promise}`);
  for (const { name, step, what } of DELAYS) print(`${name}\n    the runbook's query names ${step}: ${what}`);
}

async function drillAll(options: Options, signal: AbortSignal): Promise<number> {
  if (options.list) {
    list();
    return 0;
  }
  const began = Date.now();
  await using scratch = await openScratch('drills');
  const results: Result[] = [];
  print(`seed ${options.seed}; windows and waits of alerts are divided by ${options.factor}`);
  try {
    await runAll(options, { dir: scratch.path, results, log: print, signal });
  } finally {
    print(`\n${drillTable(results.map(({ row }) => row))}\n`);
    const took = `${Math.round((Date.now() - began) / 6_000) / 10} minutes, windows divided by ${options.factor}, seed ${options.seed}`;
    print(`${results.length} of ${options.only.length} drills ran; ${took}`);
  }
  const missed = results.filter(({ misses }) => misses.length > 0).length;
  print(missed > 0 ? `${missed} of ${results.length} drills missed` : 'every drill passed');
  if (missed === 0) return 0;
  scratch.keep();
  print(`logs: ${scratch.path}`);
  return 1;
}
