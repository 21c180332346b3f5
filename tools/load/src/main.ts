import { join } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { openScratch, type Scratch } from '@recording-request/harness/scratch';
import { ensureDeployedFfmpeg } from '@recording-request/stack/install/deployed-ffmpeg';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import { HELP, type Options, parseOptions } from './options.ts';
import { verdictLines } from './report/table.ts';
import { type LoadResult, runLoad } from './run-load.ts';

/**
 * If other programs use more than this share of the CPU, the result is unreliable. `npm run bench` uses the same share
 * to repeat a round.
 */
const NOISE = 0.05;

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const { seed } = options;
  await using scratch = await openScratch('load');
  const dir = scratch.path;
  print(`seed ${seed}: --seed ${seed} repeats the choices`);
  await ensure(['ffmpeg', 'flite'], print);
  const programs = await ensureDeployedFfmpeg({ env: process.env, log: print, signal });
  // PocketSphinx uses less CPU than Whisper. A real provider would use no CPU of this machine.
  process.env.SPEECH_ENGINE ||= 'pocketsphinx';
  // The engine represents a server elsewhere, so its priority is low.
  process.env.SPEECH_NICE ||= '10';
  await using servers = await startServers({ dataDir: join(dir, 'servers'), log: print, signal });
  try {
    const result = await runLoad(options, { serversEnv: servers.env, programs, dir, seed, signal, log: print });
    const isKept = result.verdicts.every(({ state }) => state !== 'broken');
    if (!isKept) keepLogs(scratch);
    report(result);
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

function report(result: LoadResult): void {
  print(`\n${verdictLines(result.verdicts)}\n`);
  const foreign = Math.max(...result.steps.map(({ cpu }) => cpu.foreign));
  if (foreign >= NOISE)
    print(
      `Other programs had up to ${(100 * foreign).toFixed(0)} % of the CPU in a step: the result may differ on an idle machine.\n`,
    );
}

await runCommand({ help: HELP, parse: parseOptions, run: main });
