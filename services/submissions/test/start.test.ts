import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isServing } from '@recording-request/stack/grpc-health';
import { freePort } from '@recording-request/stack/ports';
import { testEnvironment } from '@recording-request/testing/environment';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { migrate } from '../src/migrate.ts';

// One attempt to find a MongoDB primary or Kafka takes 5 s.
const PATIENCE = { limitMs: 90_000, everyMs: 100 };
const MAIN = join(import.meta.dirname, '../src/main.ts');
const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());

/** A proxy to one of the shared servers. It refuses connections until `open` is called. */
async function closedProxy(host: string, port: number) {
  const own = await freePort();
  let server: Server | undefined;
  return {
    address: `127.0.0.1:${own}`,
    async open() {
      server = opened.adopt(
        createServer(near => {
          const far = connect(port, host);
          for (const each of [near, far]) each.on('error', () => void [near.destroy(), far.destroy()]);
          near.pipe(far).pipe(near);
        }),
        each => void each.close(),
      );
      await once(server.listen(own, '127.0.0.1'), 'listening');
    },
  };
}

const partsOf = (address: string): [string, number] => {
  const { hostname, port } = new URL(address.includes('//') ? address : `tcp://${address}`);
  return [hostname, Number(port)];
};

function startProcess(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  opened.defer(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => void lines.push(text));
  return { child, said: (text: string) => lines.join('').includes(text) };
}

async function stopped(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

test('a service waits for unreachable servers, alive and not ready, and becomes ready once they can be reached', async () => {
  const environment = testEnvironment({ LOG_LEVEL: 'info', PUBLIC_BASE_URL: 'http://owner.test' });
  const stores = opened.use(testStores(environment));
  await migrate(environment.env, () => undefined);
  await stores.makeTopics();
  await stores.objects().ensureBucket();
  const mongo = new URL(environment.env.MONGO_URL!);
  const proxies = {
    mongo: await closedProxy(mongo.hostname, Number(mongo.port)),
    objects: await closedProxy(...partsOf(environment.env.S3_ENDPOINT!)),
    kafka: await closedProxy(...partsOf(environment.env.KAFKA_BROKERS!)),
  };
  mongo.host = proxies.mongo.address;
  const health = `127.0.0.1:${await freePort()}`;
  const env = {
    ...environment.env,
    ...(await testCertificates()).env('submissions'),
    HEALTH_LISTEN: health,
    PROJECTS_GRPC: '127.0.0.1:9',
    MEDIA_GRPC: '127.0.0.1:9',
    MONGO_URL: mongo.href,
    S3_ENDPOINT: `http://${proxies.objects.address}`,
    KAFKA_BROKERS: proxies.kafka.address,
  };
  const { child, said } = startProcess(env);
  const waitsFor = async (server: string) => {
    await until(`it logs that ${server} cannot be reached`, () => said(`${server} cannot be reached`), PATIENCE);
    const [alive, ready] = [await isServing(health, 5_000, 'liveness'), await isServing(health, 5_000)];
    assert.deepEqual({ alive, ready, exit: child.exitCode }, { alive: true, ready: false, exit: null });
  };
  await waitsFor('MongoDB');
  const impatient = startProcess({ ...env, HEALTH_LISTEN: '127.0.0.1:0' });
  await until('the second waits too', () => impatient.said('MongoDB cannot be reached'), PATIENCE);
  assert.equal(await stopped(impatient.child), 0, 'a stop ends the wait');
  await proxies.mongo.open();
  await waitsFor('Kafka');
  await proxies.kafka.open();
  await waitsFor('The object store');
  await proxies.objects.open();
  await until('it is ready', () => isServing(health, 1_000), PATIENCE);
  assert.equal(await stopped(child), 0);
});

test('a service creates nothing: it exits with status 78 and names the missing database, topics or bucket', async () => {
  const environment = testEnvironment({ PUBLIC_BASE_URL: 'http://owner.test' });
  await using stores = testStores(environment);
  const env = {
    ...environment.env,
    ...(await testCertificates()).env('submissions'),
    PROJECTS_GRPC: '127.0.0.1:9',
    MEDIA_GRPC: '127.0.0.1:9',
  };
  const isRefused = async (sentence: string) => {
    const { child, said } = startProcess(env);
    const [code] = await once(child, 'close');
    assert.deepEqual([code, said(sentence)], [78, true], sentence);
  };
  const { name } = environment;
  await isRefused(`The database ${name}_submissions has not been migrated`);
  await migrate(env, () => undefined);
  await isRefused(`${name}.parked do not exist: run "npm run admin -- migrate"`);
  await stores.makeTopics();
  await isRefused(`The bucket ${name} does not exist: run "npm run admin -- migrate"`);
});
