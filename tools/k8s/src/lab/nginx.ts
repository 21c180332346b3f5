import { join } from 'node:path';
import { startChild } from '@recording-request/stack/child-process';
import { ensureNginx } from '@recording-request/stack/install/nginx';
import { nginxArgs } from '@recording-request/stack/nginx';
import { waitFor } from '@recording-request/stack/wait';
import { DNS_ADDRESS, NODE_ADDRESS, type Place } from './place.ts';

const PORT = 8_801;
export const NGINX_ORIGIN = `http://${NODE_ADDRESS}:${PORT}`;
const READY_MS = 30_000;
const STOP_MS = 5_000;

/**
 * Starts nginx beside the cluster, until disposal, in front of the pods of a headless Service. `pods` is the DNS name
 * and the port of the pods. nginx must be installed on this computer, because the lab's network cannot reach other
 * networks.
 */
export async function startNginx(place: Place, pods: string): Promise<AsyncDisposable> {
  const program = await ensureNginx({ env: process.env, log: () => {} });
  const child = await startChild({
    name: 'nginx',
    command: program,
    args: await nginxArgs(join(place.run, 'nginx'), http(pods)),
    env: process.env,
    logFile: join(place.logs, 'nginx.log'),
  });
  try {
    const leadsThere = async (limit: AbortSignal) => {
      const answer = await fetch(`${NGINX_ORIGIN}/healthz`, { signal: limit });
      await answer.body?.cancel();
      return answer.ok;
    };
    await waitFor('nginx', leadsThere, { timeoutMs: READY_MS, child });
  } catch (error) {
    await child.stop(STOP_MS);
    throw error;
  }
  return { [Symbol.asyncDispose]: async () => void (await child.stop(STOP_MS)) };
}

/**
 * Returns the configuration of nginx. When a pod ends during a read, nginx repeats the read at another pod, unless the
 * client already has a part of the HTTP response. This is nginx's default for idempotent methods. nginx keeps the
 * addresses of the name for at most one second.
 */
const http = (pods: string): string => `  access_log off;
  resolver ${DNS_ADDRESS} valid=1s ipv6=off;
  server {
    listen ${NODE_ADDRESS}:${PORT};
    client_max_body_size 0;
    set $pods ${pods};
    location / {
      proxy_pass http://$pods;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_max_temp_file_size 0;
      proxy_connect_timeout 2s;
      proxy_read_timeout 120s;
      proxy_send_timeout 120s;
    }
  }`;
