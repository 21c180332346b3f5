import { join, relative, resolve } from 'node:path';
import { openDataDir } from '@recording-request/stack/data-dir';
import { reportFailure } from '@recording-request/stack/report-failure';
import { DEMO_DIR, HELP, parseOptions } from './options.ts';
import { type DemoUp, runDemo } from './run-demo.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const { keep, help, results } = parseOptions(process.argv.slice(2));
  if (help) return void process.stdout.write(HELP);
  const began = performance.now();
  const stop = new AbortController();
  // Ctrl-C reaches this process from the terminal and once more from npm: a second one must not cut the stop short.
  for (const name of STOP_SIGNALS) process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const dataDir = resolve(DEMO_DIR, 'data');
  const resultsDir = resolve(results);
  const where = relative(process.cwd(), resultsDir) || '.';
  await using _lock = await openDataDir(dataDir, true);
  let isShown = false;
  const whileUp = async (up: DemoUp, signal: AbortSignal) => {
    isShown = true;
    if (keep) await untilStopped(up, signal);
  };
  const log = (line: string) => console.log(line);
  const options = { dataDir, clipsDir: resolve(DEMO_DIR, 'clips'), resultsDir, log, signal: stop.signal, whileUp };
  const { steps, shareHeard } = await runDemo(options).catch(error => {
    const hint = `Results so far: ${where}; logs: ${join(DEMO_DIR, 'data', 'logs')}`;
    throw new Error(`${isShown ? 'all was shown, then' : 'the demo failed'}: ${error.message}\n${hint}`, {
      cause: error,
    });
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    `\nAll ${steps.length} steps held, in ${seconds} s; ${Math.round(shareHeard * 100)} % of the words were heard.`,
  );
  console.log(`Results: ${where} (clips, thumbnails, audio, transcripts, exports, webhooks, the trace)`);
}

async function untilStopped({ baseUrl, apiToken, projects, sinkUrl }: DemoUp, signal: AbortSignal): Promise<void> {
  const { created } = projects.stories;
  console.log(`
Everything is still running.

  API             ${baseUrl}/api
  API token       ${apiToken}
  Recording link  ${created.sharedLink?.recipientUrl}
  Dashboard       ${created.dashboardUrl}
  Webhooks        ${sinkUrl}   (what came, as JSON)

Ctrl-C stops it.`);
  if (signal.aborted) return;
  await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }));
}

try {
  await main();
} catch (error) {
  reportFailure(error);
}
