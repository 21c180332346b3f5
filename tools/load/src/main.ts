import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '@recording-request/kit/command-line';
import { ensureDeployedFfmpeg } from '@recording-request/stack/install/deployed-ffmpeg';
import { ensure } from '@recording-request/stack/install/ensure';
import { reportFailure } from '@recording-request/stack/report-failure';
import { startServers } from '@recording-request/stack/servers';
import { HELP, parseOptions } from './options.ts';
import { verdictLines } from './report/table.ts';
import { type LoadResult, runLoad } from './run-load.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** As little as spoils a round of `npm run bench`. */
const NOISE = 0.05;

const log = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    log(HELP);
    return 0;
  }
  const { seed, json } = options;
  if (json) await expectWritable(json);
  const stop = new AbortController();
  let ended: (typeof STOP_SIGNALS)[number] | undefined;
  // Ctrl-C comes from the terminal and once more from npm: a second one must not cut the clearing away short.
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (ended) return;
      ended = name;
      log(`${name}: clearing away …`);
      // People who were on their way fail, as what they ask for is gone.
      process.on('unhandledRejection', () => {});
      stop.abort(new Error(`ended by ${name}`));
    });
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-load-'));
  let isKept = true;
  try {
    log(`seed ${seed}: --seed ${seed} makes the same choices again`);
    await ensure(['ffmpeg', 'flite'], log);
    const programs = await ensureDeployedFfmpeg({ env: process.env, log, signal: stop.signal });
    // Of this machine's two recognisers the quick one, as with a provider elsewhere speech takes no CPU here.
    process.env.SPEECH_ENGINE ||= 'pocketsphinx';
    // It stands for a server elsewhere: people here do not wait for what it works off.
    process.env.SPEECH_NICE ||= '10';
    await using servers = await startServers({ dataDir: join(dir, 'servers'), log, signal: stop.signal });
    const place = { serversEnv: servers.env, programs, dir, seed, signal: stop.signal, log };
    const result = await runLoad(options, place);
    isKept = result.verdicts.every(({ state }) => state !== 'broken');
    await tell(result, json);
    return Number(!isKept);
  } catch (error) {
    if (ended) return 128 + constants.signals[ended];
    isKept = false;
    throw error;
  } finally {
    if (!isKept) log(`logs: ${join(dir, 'logs')}`);
    await rm(isKept ? dir : join(dir, 'servers'), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Before the hour that the run may take. */
async function expectWritable(file: string): Promise<void> {
  const opened = await open(file, 'a').catch(error => {
    throw new UsageError(`--json takes a file that can be written: ${(error as Error).message}.`);
  });
  await opened.close();
}

async function tell(result: LoadResult, json: string | undefined): Promise<void> {
  log(`\n${verdictLines(result.verdicts)}\n`);
  const foreign = Math.max(...result.steps.map(({ cpu }) => cpu.foreign));
  if (foreign >= NOISE)
    log(
      `Other programs had up to ${(100 * foreign).toFixed(0)} % of the CPU in a step: on a quiet machine this may be otherwise.\n`,
    );
  if (!json) return;
  await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
  log(`Written: ${json}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  reportFailure(error);
}
// What was under way when it was ended may still wait for something.
process.exit();
