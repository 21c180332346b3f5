import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive } from './child-process.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { isServing } from './grpc-health.ts';
import { SERVICES, type ServiceName } from './service-plan.ts';
import { tempDir } from './testing/temp-dir.ts';
import { waitFor } from './wait.ts';

const FAKE = fileURLToPath(new URL('./testing/fake-service.ts', import.meta.url));

async function start(dataDir: string, more: Partial<Parameters<typeof startCluster>[0]> = {}): Promise<Cluster> {
  return startCluster({
    servers: { env: { MONGO_URL: 'mongodb://somewhere' } },
    dataDir,
    restart: true,
    log: () => {},
    nodeArgs: () => [FAKE],
    serviceEnv: Object.fromEntries(SERVICES.map(name => [name, { FAKE_NAME: name }])),
    ...more,
  });
}

test('starts six services, each with the addresses of the others', async () => {
  await using dir = await tempDir();
  await using all = await start(dir.path, { kafkaTopicPrefix: 'x-', env: { LOG_LEVEL: 'warn' } });
  assert.equal(new Set(SERVICES.map(name => all.services[name].pid)).size, 6);
  for (const name of SERVICES) assert.equal(await isServing(all.services[name].health, 15_000), true);
  const env = await (await fetch(`${all.baseUrl}/env`)).json();
  assert.equal(env.PROJECTS_GRPC, all.services.projects.grpc);
  assert.equal(env.SUBMISSIONS_HTTP, all.services.submissions.http);
  assert.deepEqual([env.MONGO_URL, env.KAFKA_TOPIC_PREFIX, env.LOG_LEVEL], ['mongodb://somewhere', 'x-', 'warn']);
  const [id, key] = env.SECRETS_KEY.split(':');
  assert.deepEqual([id, Buffer.from(key, 'base64').length], ['k1', 32]);
  assert.equal((await stat(join(dir.path, 'secrets-key.json'))).mode & 0o777, 0o600);
});

test('restarts a killed service on the same ports', async () => {
  await using dir = await tempDir();
  const back = Promise.withResolvers<ServiceName>();
  const lines: string[] = [];
  await using all = await start(dir.path, { onRestart: back.resolve, log: line => lines.push(line) });
  const before = all.services.media.pid;
  all.kill('media', 'SIGKILL');
  assert.equal(await back.promise, 'media');
  assert.notEqual(all.services.media.pid, before);
  assert.equal(await isServing(all.services.media.health, 15_000), true);
  assert.match(lines.join('\n'), /media ended \(SIGKILL\); starting it again\nmedia has restarted/);
});

test('only reports a killed service without restart', async () => {
  await using dir = await tempDir();
  const ended = Promise.withResolvers<string>();
  await using all = await start(dir.path, {
    restart: false,
    onExit: (name, exit) => ended.resolve(`${name} ${exit.signal}`),
  });
  all.kill('webhooks', 'SIGKILL');
  assert.equal(await ended.promise, 'webhooks SIGKILL');
  assert.equal(isAlive(all.services.webhooks.pid), false);
});

test('stops the gateway first and leaves no process', async () => {
  await using dir = await tempDir();
  await using all = await start(dir.path);
  const pids = SERVICES.map(name => all.services[name].pid);
  await all.stop();
  assert.ok(!pids.some(isAlive));
  const when = async (name: string) =>
    Number(/stops (\d+)/.exec(await readFile(join(dir.path, 'logs', `${name}.log`), 'utf8'))?.[1]);
  for (const name of SERVICES) if (name !== 'gateway') assert.ok((await when('gateway')) <= (await when(name)));
});

test('leaves no process when stopped during a restart', async () => {
  await using dir = await tempDir();
  const down = Promise.withResolvers<void>();
  await using all = await start(dir.path, { onExit: () => down.resolve() });
  all.kill('projects', 'SIGKILL');
  await down.promise;
  await all.stop();
  await waitFor('no listener', async () => ((await isServing(all.services.projects.health, 200)) ? undefined : true), {
    timeoutMs: 30_000,
  });
  assert.equal(isAlive(all.services.projects.pid), false);
});

test('names a service that does not start, with the end of its log', async () => {
  await using dir = await tempDir();
  const failing = start(dir.path, { env: { FAKE_FAILS: 'submissions' } });
  await assert.rejects(failing, /submissions ended \(exit code 3\)[\s\S]*MONGO_URL is malformed/);
});
