import { join } from 'node:path';
import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';
import { type ServersOptions, startServers } from '@recording-request/stack/servers';
import { SERVER_PORTS } from '../product/network.ts';
import type { Beside, ServersKind } from './beside.ts';
import { inMemory } from './in-memory.ts';
import { startSeveral } from './several.ts';

/** The data folders of MongoDB, as a single server or a set. */
const MONGO_DATA = { one: ['mongo'], several: ['mongo-1', 'mongo-2', 'mongo-3'] };

/** Starts the servers beside the cluster, with their data below `dir`. */
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
  await using starting = new AsyncDisposableStack();
  starting.use(await inMemory(where.dataDir, MONGO_DATA[kind]));
  const servers = starting.use(kind === 'several' ? await startSeveral(options) : await startOne(options));
  const started = starting.move();
  return { ...servers, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function startOne(options: ServersOptions): Promise<Beside> {
  const servers = await startServers(options);
  return {
    ...{ env: servers.env, productEnv: servers.env, secrets: [], several: undefined },
    withOwnSecrets: objects => objects,
    [Symbol.asyncDispose]: () => servers.stop(),
  };
}
