import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import { CASES } from './cases/all.ts';
import { HELP, type Options, parseOptions, shares } from './options.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { tableOf } from './table.ts';

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
  const { seed, cases, submissions, short } = options;
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`ended by ${name}`)));
  log(`seed ${seed}: npm run faults -- --seed ${seed} makes the same choices again`);
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-faults-'));
  const results: CaseResult[] = [];
  await ensure(['ffmpeg', 'flite'], log);
  {
    await using servers = await startServers({ dataDir: join(dir, 'servers'), log, signal: stop.signal });
    const counts = shares(cases, submissions);
    for (const [at, fault] of cases.entries()) {
      if (stop.signal.aborted) break;
      log(`… ${fault.name}: ${fault.promise}`);
      const more = { seed, short, submissions: counts[at]!, serversEnv: servers.env, dir, signal: stop.signal };
      const result = await runCase(fault, more);
      results.push(result);
      const { ok, unknown, failed, seconds, violations, dataDir } = result;
      const told = `${ok} ok, ${failed} failed, ${unknown} unknown in ${seconds} s`;
      log(`${violations.length === 0 ? '✔' : '✖'} ${fault.name}: ${told}`);
      for (const violation of violations) log(`    ${violation}`);
      if (dataDir) log(`    logs: ${join(dataDir, 'logs')}`);
    }
  }
  const isKept = results.every(({ violations }) => violations.length === 0) && results.length === cases.length;
  log(`\n${tableOf(results)}\n`);
  log(`seed ${seed}: ${isKept ? 'every promise was kept' : 'promises were broken'}`);
  await rm(isKept ? dir : join(dir, 'servers'), { recursive: true, force: true });
  return isKept ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Everything is closed by now; what a client library still holds must not keep the command from ending.
process.exit();
