import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensure } from '@recording-request/stack/install/ensure';
import { reportFailure } from '@recording-request/stack/report-failure';
import { startServers } from '@recording-request/stack/servers';
import { CASES } from './cases/all.ts';
import { HELP, type Options, parseOptions, replay, shares } from './options.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { tableOf } from './table.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const log = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), CASES);
  if (options.help) log(HELP);
  else if (options.list)
    for (const { name, promise, bounded } of CASES) log(`${name}${bounded ? ' *' : ''}\n    ${promise}`);
  else return await runAll(options);
  return 0;
}

async function runAll(options: Options): Promise<number> {
  const { seed, cases } = options;
  const stop = new AbortController();
  let ended: (typeof STOP_SIGNALS)[number] | undefined;
  // Ctrl-C comes from the terminal and once more from npm: a second one must not cut the clearing away short.
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (ended) return;
      ended = name;
      log(`${name}: clearing away …`);
      // What the abandoned case still does fails, because its harness is gone.
      process.on('unhandledRejection', () => {});
      stop.abort(new Error(`ended by ${name}`));
    });
  log(`seed ${seed}: npm run faults -- ${replay(options, CASES)} makes the same choices again`);
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-faults-'));
  const results: CaseResult[] = [];
  const isKept = () => results.every(({ violations }) => violations.length === 0);
  try {
    await ensure(['ffmpeg', 'flite'], log);
    // It keeps up with thousands of clips, and words are not judged here.
    process.env.SPEECH_ENGINE ||= 'pocketsphinx';
    await using servers = await startServers({ dataDir: join(dir, 'servers'), log, signal: stop.signal });
    await runCases(options, { serversEnv: servers.env, dir, signal: stop.signal }, results);
  } catch (error) {
    if (!ended) throw error;
  } finally {
    await rm(isKept() ? dir : join(dir, 'servers'), { recursive: true, force: true });
  }
  log(`\n${tableOf(results)}\n`);
  if (ended) log(`Ended by ${ended} after ${results.length} of ${cases.length} cases; nothing is left of the others.`);
  else log(`seed ${seed}: ${isKept() ? 'every promise was kept' : 'promises were broken'}`);
  return ended ? 128 + constants.signals[ended] : Number(!isKept());
}

async function runCases(
  { seed, cases, submissions, short }: Options,
  place: { serversEnv: Record<string, string>; dir: string; signal: AbortSignal },
  results: CaseResult[],
): Promise<void> {
  const counts = shares(cases, submissions);
  for (const [at, fault] of cases.entries()) {
    log(`… ${at + 1} of ${cases.length}, ${fault.name}: ${fault.promise}`);
    const result = await runCase(fault, { ...place, seed, short, submissions: counts[at]!, log });
    results.push(result);
    const { ok, unknown, failed, seconds, violations, notes, dataDir } = result;
    const summary = `${ok} ok, ${failed} failed, ${unknown} unknown in ${seconds} s`;
    log(`${violations.length === 0 ? '✔' : '✖'} ${fault.name}: ${summary}`);
    for (const line of [...notes, ...violations]) log(`    ${line}`);
    if (dataDir) log(`    logs: ${join(dataDir, 'logs')}`);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  reportFailure(error);
}
// Everything is closed by now, but an abandoned case may still wait for something.
process.exit();
