import { join } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import { CASES } from './cases/all.ts';
import { HELP, type Options, parseOptions, replay, shares } from './options.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { caseTable } from './table.ts';

await runCommand({ help: HELP, parse: args => parseOptions(args, CASES), run: runAll });

async function runAll(options: Options, signal: AbortSignal): Promise<number> {
  if (options.list) {
    for (const { name, promise, bounded } of CASES) print(`${name}${bounded ? ' *' : ''}\n    ${promise}`);
    return 0;
  }
  const { seed, cases } = options;
  print(`seed ${seed}: npm run faults -- ${replay(options, CASES)} repeats the choices`);
  await using scratch = await openScratch('faults');
  const results: CaseResult[] = [];
  const isKept = () => results.every(({ violations }) => violations.length === 0);
  try {
    await ensure(['ffmpeg', 'flite'], print);
    // This engine is fast enough for thousands of clips, and the suite does not check words.
    process.env.SPEECH_ENGINE ||= 'pocketsphinx';
    await using servers = await startServers({ dataDir: join(scratch.path, 'servers'), log: print, signal });
    await runCases(options, { serversEnv: servers.env, dir: scratch.path, signal }, results);
  } finally {
    if (!isKept()) scratch.keep();
    print(`\n${caseTable(results)}\n`);
    if (results.length < cases.length) print(`Ended after ${results.length} of ${cases.length} cases.`);
  }
  print(`seed ${seed}: ${isKept() ? 'every promise was kept' : 'promises were broken'}`);
  return Number(!isKept());
}

async function runCases(
  { seed, cases, submissions, short }: Options,
  place: { serversEnv: Record<string, string>; dir: string; signal: AbortSignal },
  results: CaseResult[],
): Promise<void> {
  const counts = shares(cases, submissions);
  for (const [at, fault] of cases.entries()) {
    print(`… ${at + 1} of ${cases.length}, ${fault.name}: ${fault.promise}`);
    const result = await runCase(fault, { ...place, seed, short, submissions: counts[at]!, log: print });
    results.push(result);
    const { ok, unknown, failed, seconds, violations, notes, dataDir } = result;
    const summary = `${ok} ok, ${failed} failed, ${unknown} unknown in ${seconds} s`;
    print(`${violations.length === 0 ? '✔' : '✖'} ${fault.name}: ${summary}`);
    for (const line of [...notes, ...violations]) print(`    ${line}`);
    if (dataDir) print(`    logs: ${join(dataDir, 'logs')}`);
  }
}
