import { relative, resolve } from 'node:path';
import { print, runCommand } from '@recording-request/harness/command';
import { provision } from './provision.ts';
import type { SampleProject } from './sample-project.ts';
import { type Ready, startAll } from './start-all.ts';
import { HELP, parseStartOptions, type StartOptions } from './start-options.ts';

async function main(options: StartOptions, signal: AbortSignal): Promise<void> {
  const dataDir = resolve(options.data);
  const onReady = (ready: Ready, sample: SampleProject) => print(banner(ready, sample, dataDir));
  try {
    await startAll({ options, dataDir, log: print, signal, provision, onReady });
  } catch (error) {
    // If the user stopped the command during the start, this is not an error.
    if (!signal.aborted) throw error;
  }
  print('stopped');
}

function banner({ baseUrl, apiToken, webhookSinkUrl }: Ready, sample: SampleProject, dataDir: string): string {
  const below = relative(process.cwd(), dataDir);
  const folder = below.startsWith('..') ? dataDir : below || '.';
  return `
Recording Request is running.

  API docs         ${baseUrl}/api/docs and ${baseUrl}/api/docs.md
  First steps      ${baseUrl}/api/docs/start
  Recording links  ${sample.sharedUrl}   (shared)
${sample.uniqueUrls.map(url => `                   ${url}`).join('\n')}
  Dashboard        ${sample.dashboardUrl}
  Webhooks         ${webhookSinkUrl}   (received events, as JSON)
  Logs             ${folder}/logs
  Addresses        ${folder}/ready.json

To use it from another terminal:

  export BASE=${baseUrl} TOKEN=${apiToken} WEBHOOKS=${webhookSinkUrl}
  curl -H "Authorization: Bearer $TOKEN" $BASE/api/me

Ctrl-C stops everything; the data stays in ${folder}.
`;
}

await runCommand({ help: HELP, parse: parseStartOptions, run: main });
