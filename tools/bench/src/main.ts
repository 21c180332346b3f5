import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { reportFailure } from '@recording-request/harness/command';
import { helpOf, MIN_ROUNDS, parseOptions } from './options.ts';
import { ROOT } from './peers/sources.ts';
import { profileReport } from './profile/profile-report.ts';
import { keepRun, type RunResult } from './report/results.ts';
import { tableOf, updateDocument } from './report/table.ts';
import { ROWS } from './rows/all.ts';
import { runBench, withoutServers } from './run-bench.ts';
import { runAgainst, runCounts } from './versions/run-versions.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const RESULTS = join(ROOT, 'tools/bench/results.json');
const DOCUMENT = join(ROOT, 'docs/performance.md');

const log = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), ROWS);
  if (options.help) {
    log(helpOf(ROWS));
    return 0;
  }
  const stop = new AbortController();
  let ended: (typeof STOP_SIGNALS)[number] | undefined;
  // Ctrl-C comes from the terminal and once more from npm: a second one must not cut the clearing away short.
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      ended ??= name;
      stop.abort(new Error(`ended by ${name}`));
    });
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-bench-'));
  try {
    const { counts, against } = options;
    if (counts || against !== undefined) {
      const place = { dir, env: withoutServers(process.env), log, signal: stop.signal };
      log(`\n${counts ? await runCounts(against, place) : await runAgainst(against!, options.rounds, place)}`);
      return 0;
    }
    log(`seed ${options.seed}: --seed ${options.seed} takes the variants in the same order again`);
    const { rounds, profile } = options;
    const isKept = profile === undefined && (rounds === undefined || rounds >= MIN_ROUNDS);
    const onRow = async (run: RunResult) => {
      if (isKept) await keep(run);
    };
    const run = await runBench(options, { dir, log, signal: stop.signal, onRow });
    if (profile !== undefined)
      log(`${await profileReport(profile)}\n\nNothing is written but the profiles, in ${profile}.`);
    else if (!isKept) log(`Nothing is written: a verdict needs ${MIN_ROUNDS} rounds.`);
    return Number(!isMet(run));
  } catch (error) {
    if (!ended) throw error;
    log(`${ended}: of this run, only the rows that had been measured are kept`);
    return 128 + constants.signals[ended];
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function keep(run: RunResult): Promise<void> {
  await updateDocument(DOCUMENT, tableOf(await keepRun(RESULTS, run)));
  log(`Written: ${[RESULTS, DOCUMENT].map(path => relative(process.cwd(), path)).join(', ')}`);
}

/** Whether every goal of every row was met. */
const isMet = (run: RunResult) =>
  run.rows.every(
    ({ state, findings }) =>
      state === 'judged' && findings.every(({ verdict }) => verdict === 'met' || verdict === 'shown'),
  );

try {
  process.exitCode = await main();
} catch (error) {
  reportFailure(error);
}
process.exit();
