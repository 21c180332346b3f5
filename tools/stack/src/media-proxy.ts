import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from './child-process.ts';
import { ensureNginx } from './install/nginx.ts';
import type { Log } from './log.ts';
import { nginxArgs } from './nginx.ts';
import { freePort } from './ports.ts';
import { waitFor } from './wait.ts';

const TEMPLATE = new URL('../../../deploy/nginx/media-offload.conf.template', import.meta.url);
const READY_MS = 30_000;
const GRACE_MS = 5_000;

/** An nginx in front of a gateway, set up as in `deploy/nginx`. */
export interface MediaProxy extends AsyncDisposable {
  url: string;
  pid: number;
  /** The path of its access log. */
  accessLog: string;
}

export interface MediaProxyOptions {
  /** A folder for its configuration and its logs. */
  dir: string;
  /** The address of the gateway. */
  gateway: string;
  /** S3_ENDPOINT. */
  store: string;
  /** MEDIA_OFFLOAD_SECRET. */
  secret: string;
  /** The certificate authorities for a store over TLS. */
  storeCaFile?: string;
  /** The limits of concurrent videos: in total, for each owner, and for each token. */
  limits?: { all: number; perOwner: number; perToken: number };
  env?: NodeJS.ProcessEnv;
  log?: Log;
  signal?: AbortSignal | undefined;
}

/** Starts nginx on a free port. Installs nginx if it is missing. nginx ends on disposal, or with this process. */
export async function startMediaProxy(options: MediaProxyOptions): Promise<MediaProxy> {
  const { dir, env = process.env, log = () => {}, signal } = options;
  const program = await ensureNginx({ env, log, ...(signal && { signal }) });
  const prefix = join(dir, 'media-proxy');
  await mkdir(prefix, { recursive: true });
  const port = await freePort();
  const accessLog = join(prefix, 'access.log');
  const variables = { ...variablesOf(options), LISTEN: `127.0.0.1:${port}`, ACCESS_LOG: accessLog };
  const settings = join(prefix, 'media-offload.conf');
  await writeFile(settings, await filledIn(variables));
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'media-proxy',
    command: program,
    args: await nginxArgs(prefix, `  include ${settings};`),
    env,
    logFile: join(dir, 'logs', 'media-proxy.log'),
  });
  try {
    const answers = async (limit: AbortSignal) => {
      const answer = await fetch(`${url}/healthz`, { signal: limit });
      await answer.body?.cancel();
      return true;
    };
    await waitFor('nginx', answers, { timeoutMs: READY_MS, child, signal });
  } catch (error) {
    await child.stop(GRACE_MS);
    throw error;
  }
  return {
    url,
    pid: child.pid,
    accessLog,
    async [Symbol.asyncDispose]() {
      await child.stop(GRACE_MS);
    },
  };
}

const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const LIMITS = { all: 512, perOwner: 256, perToken: 128 };

function variablesOf({ gateway, store, secret, storeCaFile, limits = LIMITS }: MediaProxyOptions) {
  const { protocol, hostname, port } = new URL(store);
  return {
    GATEWAY_ADDRESS: new URL(gateway).host,
    STORE_SCHEME: protocol.slice(0, -1),
    STORE_ADDRESS: `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`,
    STORE_CA_FILE: storeCaFile ?? SYSTEM_AUTHORITIES,
    MEDIA_OFFLOAD_SECRET: secret,
    MEDIA_AT_ONCE: String(limits.all),
    MEDIA_AT_ONCE_PER_OWNER: String(limits.perOwner),
    MEDIA_AT_ONCE_PER_TOKEN: String(limits.perToken),
  };
}

/**
 * Returns the template with the values of its variables, as nginx's container image does. Fails when a variable has no
 * value.
 */
async function filledIn(variables: Record<string, string>): Promise<string> {
  return (await readFile(TEMPLATE, 'utf8')).replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`the configuration of nginx needs ${name}`);
    return value;
  });
}
