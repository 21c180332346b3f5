import { join, relative, resolve } from 'node:path';
import { isFree, nextFreePort } from '@recording-request/stack/ports';
import { provision } from '@recording-request/stack/provision';
import { reportFailure } from '@recording-request/stack/report-failure';
import type { SampleProject } from '@recording-request/stack/sample-project';
import { type Ready, startAll } from '@recording-request/stack/start-all';
import { DEFAULT_DATA } from '@recording-request/stack/start-options';
import { DEFAULT_PORT, HELP, parseObserveOptions } from './options.ts';
import { recordSampleClips } from './sample-clips.ts';
import { type Observability, startObservability } from './start-observability.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const options = parseObserveOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const dataDir = resolve(options.data);
  const stop = new AbortController();
  // Ctrl-C reaches this process from the terminal and once more from npm: a second one must not cut the stop short.
  for (const name of STOP_SIGNALS) process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const log = (line: string) => console.log(line);
  if (options.port !== undefined && !(await isFree(options.port)))
    throw new Error(`Port ${options.port} is taken: choose another --port.`);
  let observability: Observability | undefined;
  let lost: Error | undefined;
  const beside = async (signal: AbortSignal) => {
    observability = await startObservability({
      dataDir: join(dataDir, 'observe'),
      pagePort: options.port ?? (await nextFreePort(DEFAULT_PORT)),
      log,
      signal,
      onExit: name => {
        lost ??= new Error(`${name} ended: see ${join(dataDir, 'observe/logs', `${name}.log`)}.`);
        stop.abort(lost);
      },
    });
    return observability;
  };
  let recording: Promise<void> | undefined;
  const onReady = (ready: Ready, sample: SampleProject) => {
    console.log(banner(ready, observability!, dataDir));
    if (options.clips) recording = record({ ...ready, ...sample }, dataDir, log, stop.signal);
  };
  try {
    const start = { port: options.apiPort, fresh: options.fresh };
    await startAll({ options: start, dataDir, log, signal: stop.signal, provision, beside, onReady });
  } catch (error) {
    // Stopped while it was still starting, as requested: no error.
    if (!stop.signal.aborted) throw error;
  }
  await recording;
  if (lost) throw lost;
  console.log('stopped');
}

async function record(
  target: Ready & SampleProject,
  dataDir: string,
  log: (line: string) => void,
  signal: AbortSignal,
) {
  try {
    const ids = await recordSampleClips(target, join(dataDir, 'observe/clips'), log, signal);
    log(`\nThree clips have landed; their traces are on the page in some seconds. To find one by its id:\n`);
    const folder = relative(process.cwd(), dataDir) || '.';
    const where = folder === DEFAULT_DATA ? '' : ` --data ${folder}`;
    log(`  npm run admin -- trace ${ids.at(-1)}${where}\n`);
  } catch (error) {
    if (!signal.aborted)
      log(`The sample clips could not be recorded: ${error instanceof Error ? error.message : error}`);
  }
}

function banner(ready: Ready, { pageUrl, traceUrl }: Observability, dataDir: string): string {
  const { baseUrl, apiToken, webhookSinkUrl } = ready;
  const folder = relative(process.cwd(), dataDir) || '.';
  return `
Recording Request is running, and observed.

  Open             ${pageUrl}   (clips with their traces, alerts, dashboards)
  API docs         ${baseUrl}/api/docs
  Logs             ${folder}/logs, ${folder}/observe/logs

To use it from another terminal:

  export BASE=${baseUrl} TOKEN=${apiToken} WEBHOOKS=${webhookSinkUrl} TRACE_URL='${traceUrl}'
  curl -H "Authorization: Bearer $TOKEN" $BASE/api/me

Ctrl-C stops everything; the data stays in ${folder}, but for the spans.
`;
}

try {
  await main();
} catch (error) {
  reportFailure(error);
}
