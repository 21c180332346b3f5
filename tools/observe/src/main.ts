import { join, relative, resolve } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { isFree, nextFreePort } from '@recording-request/stack/ports';
import { provision } from '@recording-request/stack/provision';
import type { SampleProject } from '@recording-request/stack/sample-project';
import { type Ready, startAll } from '@recording-request/stack/start-all';
import { DEFAULT_DATA } from '@recording-request/stack/start-options';
import { DEFAULT_PORT, HELP, type ObserveOptions, parseObserveOptions } from './options.ts';
import { recordSampleClips } from './sample-clips.ts';
import { type Observability, startObservability } from './start-observability.ts';

async function main(options: ObserveOptions, stopped: AbortSignal): Promise<void> {
  const dataDir = resolve(options.data);
  const lost = new AbortController();
  const over = AbortSignal.any([stopped, lost.signal]);
  if (options.port !== undefined && !(await isFree(options.port)))
    throw new Error(`Port ${options.port} is in use: choose another --port.`);
  let observability: Observability | undefined;
  const beside = async (signal: AbortSignal) => {
    observability = await startObservability({
      dataDir: join(dataDir, 'observe'),
      pagePort: options.port ?? (await nextFreePort(DEFAULT_PORT)),
      log: print,
      signal,
      onExit: name => {
        lost.abort(new Error(`${name} ended: see ${join(dataDir, 'observe/logs', `${name}.log`)}.`));
      },
    });
    return observability;
  };
  let recording: Promise<void> | undefined;
  const onReady = (ready: Ready, sample: SampleProject) => {
    print(banner(ready, observability!, dataDir));
    if (options.clips) recording = record({ ...ready, ...sample }, dataDir, over);
  };
  try {
    const start = { port: options.apiPort, fresh: options.fresh };
    await startAll({ options: start, dataDir, log: print, signal: over, provision, beside, onReady });
  } catch (error) {
    // If the user stopped the command during the start, this is not an error.
    if (!over.aborted) throw error;
  }
  await recording;
  lost.signal.throwIfAborted();
  print('stopped');
}

async function record(target: Ready & SampleProject, dataDir: string, signal: AbortSignal) {
  try {
    const ids = await recordSampleClips(target, join(dataDir, 'observe/clips'), print, signal);
    print(`\nThree clips have landed; the page shows their traces in some seconds. Find one by its id:\n`);
    const folder = relative(process.cwd(), dataDir) || '.';
    const where = folder === DEFAULT_DATA ? '' : ` --data ${folder}`;
    print(`  npm run admin -- trace ${ids.at(-1)}${where}\n`);
  } catch (error) {
    if (!signal.aborted)
      print(`The sample clips could not be recorded: ${error instanceof Error ? error.message : error}`);
  }
}

function banner(ready: Ready, observability: Observability, dataDir: string): string {
  const { baseUrl, apiToken, webhookSinkUrl } = ready;
  const { pageUrl, traceUrl, prometheusUrl, alertmanagerUrl } = observability;
  const folder = relative(process.cwd(), dataDir) || '.';
  return `
Recording Request is running with all observability servers.

  Open             ${pageUrl}   (clips with their traces, alerts, dashboards)
  API docs         ${baseUrl}/api/docs
  Prometheus       ${prometheusUrl}
  Alertmanager     ${alertmanagerUrl}
  Logs             ${folder}/logs, ${folder}/observe/logs

To use it from another terminal:

  export BASE=${baseUrl} TOKEN=${apiToken} WEBHOOKS=${webhookSinkUrl} TRACE_URL='${traceUrl}'
  curl -H "Authorization: Bearer $TOKEN" $BASE/api/me

Ctrl-C stops everything; the data stays in ${folder}, except the spans.
`;
}

await runCommand({ help: HELP, parse: parseObserveOptions, run: main });
