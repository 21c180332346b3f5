import { join, relative, resolve } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { openDataDir } from '@recording-request/stack/data-dir';
import { DEMO_DIR, HELP, type Options, parseOptions } from './options.ts';
import { type DemoUp, runDemo } from './run-demo.ts';

async function main({ keep, results }: Options, stopped: AbortSignal): Promise<void> {
  const began = performance.now();
  const dataDir = resolve(DEMO_DIR, 'data');
  const resultsDir = resolve(results);
  const where = relative(process.cwd(), resultsDir) || '.';
  await using _lock = await openDataDir(dataDir, true);
  let isShown = false;
  const whileUp = async (up: DemoUp, signal: AbortSignal) => {
    isShown = true;
    if (keep) await untilStopped(up, signal);
  };
  const options = { dataDir, clipsDir: resolve(DEMO_DIR, 'clips'), resultsDir, log: print, signal: stopped, whileUp };
  const { steps, shareHeard } = await runDemo(options).catch(error => {
    const hint = `Results so far: ${where}; logs: ${join(DEMO_DIR, 'data', 'logs')}`;
    throw new Error(`${isShown ? 'after all steps' : 'the demo failed'}: ${error.message}\n${hint}`, {
      cause: error,
    });
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  print(
    `\nAll ${steps.length} steps passed, in ${seconds} s; ${Math.round(shareHeard * 100)} % of the words were recognised.`,
  );
  print(`Results: ${where} (clips, thumbnails, audio, transcripts, exports, webhooks, the trace)`);
}

async function untilStopped({ baseUrl, apiToken, projects, sinkUrl }: DemoUp, signal: AbortSignal): Promise<void> {
  const { created } = projects.stories;
  print(`
Everything is still running.

  API             ${baseUrl}/api
  API token       ${apiToken}
  Recording link  ${created.sharedLink?.recipientUrl}
  Dashboard       ${created.dashboardUrl}
  Webhooks        ${sinkUrl}   (received events, as JSON)

Ctrl-C stops it.`);
  if (signal.aborted) return;
  await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }));
}

await runCommand({ help: HELP, parse: parseOptions, run: main });
