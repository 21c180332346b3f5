import { join, relative } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { helpOf, MIN_ROUNDS, type Options, parseOptions } from './options.ts';
import { ROOT } from './peers/sources.ts';
import { profileReport } from './profile/profile-report.ts';
import { keepRun, type RunResult } from './report/results.ts';
import { tableOf, updateDocument } from './report/table.ts';
import { ROWS } from './rows/all.ts';
import { runBench, withoutServers } from './run-bench.ts';
import { runAgainst, runCounts } from './versions/run-versions.ts';

const RESULTS = join(ROOT, 'tools/bench/results.json');
const DOCUMENT = join(ROOT, 'docs/performance.md');

async function main(options: Options, signal: AbortSignal): Promise<number> {
  await using scratch = await openScratch('bench');
  const dir = scratch.path;
  try {
    const { counts, against } = options;
    if (counts || against !== undefined) {
      const place = { dir, env: withoutServers(process.env), log: print, signal };
      print(`\n${counts ? await runCounts(against, place) : await runAgainst(against!, options.rounds, place)}`);
      return 0;
    }
    print(`seed ${options.seed}: --seed ${options.seed} repeats this order of the variants`);
    const { rounds, profile } = options;
    const isKept = profile === undefined && (rounds === undefined || rounds >= MIN_ROUNDS);
    const onRow = async (run: RunResult) => {
      if (isKept) await keep(run);
    };
    const run = await runBench(options, { dir, log: print, signal, onRow });
    if (profile !== undefined)
      print(`${await profileReport(profile)}\n\nThe profiles are in ${profile}. No results are written.`);
    else if (!isKept) print(`No results are written: a verdict needs ${MIN_ROUNDS} rounds.`);
    return Number(!isMet(run));
  } catch (error) {
    if (signal.aborted) print('The run was interrupted. Only the rows measured so far are kept.');
    throw error;
  }
}

async function keep(run: RunResult): Promise<void> {
  await updateDocument(DOCUMENT, tableOf(await keepRun(RESULTS, run)));
  print(`Written: ${[RESULTS, DOCUMENT].map(path => relative(process.cwd(), path)).join(', ')}`);
}

/** Returns true if every goal of every row was met. */
const isMet = (run: RunResult) =>
  run.rows.every(({ state, findings }) => state === 'judged' && findings.every(({ verdict }) => verdict === 'met'));

await runCommand({ help: helpOf(ROWS), parse: args => parseOptions(args, ROWS), run: main });
