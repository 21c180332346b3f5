import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { openScratch, type Scratch } from '@recording-request/harness/scratch';
import { UsageError } from '@recording-request/kit/command-line';
import { ensureDeployedFfmpeg } from '@recording-request/stack/install/deployed-ffmpeg';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import { HELP, type Options, parseOptions } from './options.ts';
import { verdictLines } from './report/table.ts';
import { type LoadResult, runLoad } from './run-load.ts';

/** The least foreign CPU share that spoils a round of `npm run bench`. */
const NOISE = 0.05;

async function main({ json, ...options }: Options, signal: AbortSignal): Promise<number> {
  const { seed } = options;
  if (json) await expectWritable(json);
  await using scratch = await openScratch('load');
  const dir = scratch.path;
  print(`seed ${seed}: --seed ${seed} makes the same choices again`);
  await ensure(['ffmpeg', 'flite'], print);
  const programs = await ensureDeployedFfmpeg({ env: process.env, log: print, signal });
  // PocketSphinx, the faster engine: with a provider elsewhere, speech takes no CPU here.
  process.env.SPEECH_ENGINE ||= 'pocketsphinx';
  // It represents a server elsewhere: simulated users do not wait for its backlog.
  process.env.SPEECH_NICE ||= '10';
  await using servers = await startServers({ dataDir: join(dir, 'servers'), log: print, signal });
  try {
    const result = await runLoad(options, { serversEnv: servers.env, programs, dir, seed, signal, log: print });
    const isKept = result.verdicts.every(({ state }) => state !== 'broken');
    if (!isKept) keepLogs(scratch);
    await tell(result, json);
    return Number(!isKept);
  } catch (error) {
    if (!signal.aborted) keepLogs(scratch);
    throw error;
  }
}

function keepLogs(scratch: Scratch): void {
  scratch.keep();
  print(`logs: ${join(scratch.path, 'logs')}`);
}

/** Checks the file before the run, which may take an hour. */
async function expectWritable(file: string): Promise<void> {
  const opened = await open(file, 'a').catch(error => {
    throw new UsageError(`--json takes a file that can be written: ${(error as Error).message}.`);
  });
  await opened.close();
}

async function tell(result: LoadResult, json: string | undefined): Promise<void> {
  print(`\n${verdictLines(result.verdicts)}\n`);
  const foreign = Math.max(...result.steps.map(({ cpu }) => cpu.foreign));
  if (foreign >= NOISE)
    print(
      `Other programs had up to ${(100 * foreign).toFixed(0)} % of the CPU in a step: on a quiet machine this may be otherwise.\n`,
    );
  if (!json) return;
  await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
  print(`Written: ${json}`);
}

await runCommand({ help: HELP, parse: parseOptions, run: main });
