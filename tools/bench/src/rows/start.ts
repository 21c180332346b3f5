import { join } from 'node:path';
import { secondsSinceStart } from '@recording-request/harness/meter';
import { type Cluster, startCluster } from '@recording-request/stack/cluster';
import { withPrograms } from '@recording-request/stack/install/deployed-ffmpeg';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { RAISED } from '../product/raised.ts';
import type { Prepared, Row } from '../row.ts';
import { timed } from '../sample.ts';

const LIMIT_MS = 60_000;

/**
 * Kills each service and restarts it with the compiled modules of its previous start. Measures from the start of the
 * process until it reports SERVING. Meanwhile the consumer groups rebalance, because they still count the killed
 * member.
 */
export const start: Row = {
  name: '13',
  title: 'start of one service, its group rebalancing',
  needs: [],
  minutes: 3,
  alone: true,
  named: true,
  goals: SERVICES.map(name => ({ text: `${name} ready, in s`, metric: 'seconds', of: name, atMost: 1 })),
  self: [],
  async prepare(bench, stack): Promise<Prepared> {
    const { product, dir, log, signal } = bench;
    const ready = new Map<ServiceName, () => void>();
    const cluster = stack.use(
      await startCluster({
        servers: { env: product.serversEnv },
        dataDir: join(dir, 'start'),
        kafkaTopicPrefix: 'start.',
        mongoDatabasePrefix: 'start_',
        s3Bucket: 'start',
        env: { ...RAISED, ...withPrograms(product.programs), NODE_COMPILE_CACHE: join(dir, 'start', 'compiled') },
        restart: true,
        log,
        signal,
        onRestart: name => ready.get(name)?.(),
      }),
    );
    const again = (name: ServiceName) => () =>
      timed(bench, async () => ({ seconds: await restart(cluster, name, ready) }));
    return Object.fromEntries(SERVICES.map(name => [name, again(name)]));
  },
};

async function restart(cluster: Cluster, name: ServiceName, ready: Map<ServiceName, () => void>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  ready.set(name, resolve);
  const limit = setTimeout(() => reject(new Error(`${name} was not ready within ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    cluster.kill(name, 'SIGKILL');
    await promise;
    return secondsSinceStart(cluster.services[name].pid);
  } finally {
    clearTimeout(limit);
  }
}
