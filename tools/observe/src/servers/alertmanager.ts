import { join } from 'node:path';
import type { Child } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import { answers, type ServerContext, startServer } from './server.ts';

/** Starts an Alertmanager, without a cluster, on a free port of 127.0.0.1, with the configuration in `config`. */
export async function startAlertmanager(
  program: string,
  config: string,
  context: ServerContext,
): Promise<{ child: Child; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startServer(
    {
      name: 'alertmanager',
      command: program,
      args: [
        `--config.file=${config}`,
        `--storage.path=${join(context.dataDir, 'alertmanager')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
      isReady: limit => answers(`${url}/-/ready`, limit),
    },
    context,
  );
  return { child, url };
}
