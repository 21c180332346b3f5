import { join } from 'node:path';
import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';
import { type ServersOptions, startServers } from '@recording-request/stack/servers';
import { SERVER_PORTS } from '../product/network.ts';
import type { Beside, ServersKind } from './beside.ts';
import { startSeveral } from './several.ts';

/** Starts what runs beside the cluster, with its data below `dir`. */
export async function startBeside(
  kind: ServersKind,
  dir: string,
  { log, signal }: Pick<ServersOptions, 'log' | 'signal'>,
): Promise<Beside> {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_BASE)/.test(name),
  );
  const env = Object.fromEntries(others);
  const where = { dataDir: join(dir, `servers-${kind}`), host: NODE_ADDRESS, ports: SERVER_PORTS };
  const options: ServersOptions = { ...where, log, signal, env };
  if (kind === 'several') return await startSeveral(options);
  const servers = await startServers(options);
  return {
    ...{ env: servers.env, productEnv: servers.env, secrets: [], several: undefined },
    [Symbol.asyncDispose]: () => servers.stop(),
  };
}
