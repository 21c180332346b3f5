import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDataDir } from './data-dir.ts';
import { exists } from './files.ts';
import type { SampleProject } from './sample-project.ts';
import { type Ready, startAll } from './start-all.ts';
import { parseStartOptions } from './start-options.ts';
import { tempDir } from './testing/temp-dir.ts';
import { waitFor } from './wait.ts';
import { startWebhookSink } from './webhook-sink.ts';

const FAKE = fileURLToPath(new URL('./testing/fake-service.ts', import.meta.url));

function begin(dataDir: string, provision: () => Promise<{ apiToken: string }>, nodeArgs = () => [FAKE]) {
  const stop = new AbortController();
  const ready = Promise.withResolvers<{ ready: Ready; sample: SampleProject }>();
  const done = startAll({
    options: { port: undefined, fresh: false },
    dataDir,
    log: () => {},
    signal: stop.signal,
    provision,
    onReady: (ready_, sample) => ready.resolve({ ready: ready_, sample }),
    nodeArgs,
  });
  done.catch(ready.reject);
  const end = async () => {
    stop.abort();
    await done;
  };
  return { ready: ready.promise, stop: end, [Symbol.asyncDispose]: end };
}

test('npm start: ready.json is correct, follows a restart and disappears on a stop; the token is kept', async () => {
  await using dir = await tempDir();
  const dataDir = join(dir.path, 'data');
  const file = join(dataDir, 'ready.json');
  const read = async (): Promise<Ready> => JSON.parse(await readFile(file, 'utf8'));
  await using first = begin(dataDir, async () => ({ apiToken: 'api_fake' }));
  const { ready, sample } = await first.ready;
  assert.deepEqual(await read(), ready);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(sample.sharedUrl, `${ready.baseUrl}/r/vr_shared`);
  assert.deepEqual(Object.keys(ready.servers), ['mongo', 'kafka', 's3', 'speech']);
  assert.equal((await fetch(ready.webhookSinkUrl)).status, 200);

  const second = begin(dataDir, async () => ({ apiToken: 'api_fake' }));
  await assert.rejects(second.ready, new RegExp(`in use by process ${process.pid}`));

  const { pid } = ready.services.media!;
  process.kill(pid, 'SIGKILL');
  const changed = async () => ((await read()).services.media!.pid === pid ? undefined : true);
  await waitFor('the new pid', changed, { timeoutMs: 20_000 });
  await first.stop();
  assert.equal(await exists(file), false);

  await using third = begin(dataDir, () => Promise.reject(new Error('provisioned twice')));
  const again = await third.ready;
  assert.equal(again.ready.apiToken, 'api_fake');
  assert.equal(again.ready.webhookSinkUrl, ready.webhookSinkUrl);
  assert.equal(new URL(again.sample.dashboardUrl).origin, again.ready.baseUrl);
  await third.stop();
});

test('fails and names a server that ends while the services start', async t => {
  await using dir = await tempDir();
  // Uses a separate MongoDB, because the test kills it.
  const { MONGO_URL } = process.env;
  delete process.env.MONGO_URL;
  t.after(() => {
    if (MONGO_URL) process.env.MONGO_URL = MONGO_URL;
  });
  const silent = () => ['--eval', 'setInterval(() => {}, 1_000)'];
  const start = begin(dir.path, async () => ({ apiToken: 'api_fake' }), silent);
  t.after(() => start.stop().catch(() => {}));
  const failed = assert.rejects(start.ready, /^Error: mongo ended \(SIGKILL\): see .*mongo\.log\.$/);
  const started = async () => (await exists(join(dir.path, 'logs', 'gateway.log'))) || undefined;
  await waitFor('the services to be started', started, { timeoutMs: 60_000 });
  process.kill(Number(await readFile(join(dir.path, 'mongo', 'mongod.lock'), 'utf8')), 'SIGKILL');
  await failed;
});

test('does not empty a folder that another program made', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'thesis.txt'), 'years of work');
  await assert.rejects(openDataDir(dir.path, true), /not emptied/);
  assert.equal(await readFile(join(dir.path, 'thesis.txt'), 'utf8'), 'years of work');

  const own = join(dir.path, 'own');
  await (await openDataDir(own, false)).release();
  await writeFile(join(own, 'old'), '');
  await (await openDataDir(own, true)).release();
  assert.equal(await exists(join(own, 'old')), false);
  await (await openDataDir(own, true)).release();
});

test('asks for another folder when this one cannot be created', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'file');
  await writeFile(file, '');
  for (const [place, code] of [
    [file, 'EEXIST'],
    [join(file, 'x'), 'ENOTDIR'],
  ] as const)
    await assert.rejects(openDataDir(place, false), {
      message: `${place} cannot be made or used as a folder (${code}): choose another --data.`,
    });
});

test('git and the style checks skip a data folder inside the clone', async () => {
  await using dir = await tempDir();
  const dataDir = join(dir.path, 'data');
  await (await openDataDir(dataDir, false)).release();
  assert.equal(await readFile(join(dataDir, '.gitignore'), 'utf8'), '*\n');
});

test('checks the command line', () => {
  assert.deepEqual(parseStartOptions([]), { port: undefined, data: '.stack', fresh: false, help: false });
  assert.equal(parseStartOptions(['--port', '9000']).port, 9000);
  for (const bad of ['0', '65536', 'x', '1e3']) assert.throws(() => parseStartOptions(['--port', bad]), /--port takes/);
  assert.throws(() => parseStartOptions(['--nonsense']), /nonsense/);
});

test('the webhook receiver keeps bytes and headers, and returns the configured status', async () => {
  await using sink = await startWebhookSink({ answer: ({ path }) => (path === '/broken' ? 500 : 204) });
  const body = new Uint8Array([0x7b, 0xff, 0x7d]);
  const headers = { 'service-signature': 'sha256=ab' };
  assert.equal((await fetch(sink.url, { method: 'POST', body, headers })).status, 204);
  assert.equal((await fetch(`${sink.url}broken`, { method: 'POST', body: '{}' })).status, 500);
  assert.deepEqual(sink.events[0]?.body, Buffer.from(body));
  assert.equal(sink.events[0]?.headers['service-signature'], 'sha256=ab');
  const { events } = await (await fetch(`${sink.url}?raw`)).json();
  assert.deepEqual(Buffer.from(events[0].bodyBase64, 'base64'), Buffer.from(body));
  assert.equal(events.length, 2);
});

test('the webhook receiver shows each event in readable form', async () => {
  await using sink = await startWebhookSink();
  const headers = { 'service-event': 'submission.completed', 'service-signature': 'sha256=ab' };
  await fetch(sink.url, { method: 'POST', body: '{"id":"1"}', headers });
  await fetch(`${sink.url}x`, { method: 'POST', body: 'no JSON' });
  const shown = await (await fetch(sink.url)).text();
  assert.ok(shown.endsWith('}\n'));
  const [one, other] = sink.events.map(({ receivedAt }) => receivedAt);
  assert.deepEqual(JSON.parse(shown).events, [
    { receivedAt: one, path: '/', type: 'submission.completed', signed: true, body: { id: '1' } },
    { receivedAt: other, path: '/x', signed: false, body: 'no JSON' },
  ]);
});
