import { relative, resolve } from 'node:path';
import { provision } from './provision.ts';
import { reportFailure } from './report-failure.ts';
import type { SampleProject } from './sample-project.ts';
import { type Ready, startAll } from './start-all.ts';
import { HELP, parseStartOptions } from './start-options.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const dataDir = resolve(options.data);
  const stop = new AbortController();
  // Ctrl-C reaches this process from the terminal and once more from npm: a second one must not cut the stop short.
  for (const name of STOP_SIGNALS) process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const log = (line: string) => console.log(line);
  try {
    const onReady = (ready: Ready, sample: SampleProject) => console.log(banner(ready, sample, dataDir));
    await startAll({ options, dataDir, log, signal: stop.signal, provision, onReady });
  } catch (error) {
    // Stopped while it was still starting, as requested: no error.
    if (!stop.signal.aborted) throw error;
  }
  console.log('stopped');
}

function banner({ baseUrl, apiToken, webhookSinkUrl }: Ready, sample: SampleProject, dataDir: string): string {
  const folder = relative(process.cwd(), dataDir) || '.';
  return `
Recording Request is running.

  API docs         ${baseUrl}/api/docs and ${baseUrl}/api/docs.md
  Recording links  ${sample.sharedUrl}   (shared)
${sample.uniqueUrls.map(url => `                   ${url}`).join('\n')}
  Dashboard        ${sample.dashboardUrl}
  Webhooks         ${webhookSinkUrl}   (what came, as JSON)
  Logs             ${folder}/logs
  Addresses        ${folder}/ready.json

To use it from another terminal:

  export BASE=${baseUrl} TOKEN=${apiToken} WEBHOOKS=${webhookSinkUrl}
  curl -H "Authorization: Bearer $TOKEN" $BASE/api/me

Ctrl-C stops everything; the data stays in ${folder}.
`;
}

try {
  await main();
} catch (error) {
  reportFailure(error);
}
