import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeAuthority } from '@recording-request/stack/authority';
import { startMediaProxy } from '@recording-request/stack/media-proxy';
import { until } from '@recording-request/testing/wait';
import { serveContent, startFakeStore } from './fake-store.ts';
import { fakeServices, OFFLOAD, PROXIED, SECRET, SUBMISSION_PATH } from './offload.ts';
import { startTestGateway, type TestGateway } from './test-service.ts';

await using starting = new AsyncDisposableStack();
const dir = await mkdtemp(join(tmpdir(), 'recording-request-offload-settings-'));
starting.defer(() => rm(dir, { recursive: true, force: true }));
const store = starting.use(await startFakeStore());
const started = starting.move();
after(() => started.disposeAsync());

const ask = (base: string, headers: Record<string, string>, from: TestGateway) =>
  fetch(`${base}${SUBMISSION_PATH}/video`, { headers: { ...from.bearer, ...headers } });

test('a store over TLS is trusted if its authority is', async () => {
  const authority = await makeAuthority();
  const certificate = await authority.issue(['localhost']);
  const caFile = join(dir, 'store-ca.crt');
  await writeFile(caFile, authority.cert);
  await using secure = await startFakeStore(certificate);
  let requested = 0;
  secure.answer = (incoming, response) => {
    requested++;
    serveContent(incoming, response);
  };
  await using over = await startTestGateway(fakeServices(secure), OFFLOAD);
  const options = { gateway: over.base, store: secure.url, secret: SECRET };
  await using believing = await startMediaProxy({ ...options, dir: join(dir, 'believing'), storeCaFile: caFile });
  const good = await ask(believing.url, { range: 'bytes=0-9' }, over);
  assert.deepEqual([good.status, (await good.arrayBuffer()).byteLength, requested], [206, 10, 1]);
  // This nginx and this gateway do not trust the store's certificate authority.
  await using doubting = await startMediaProxy({ ...options, dir: join(dir, 'doubting') });
  const bad = await ask(doubting.url, {}, over);
  assert.deepEqual([bad.status, Object.keys((await bad.json()) as object), requested], [503, ['error'], 1]);
});

test('a secret replaced in its file takes effect at once; one that is too short never does', async () => {
  const file = join(dir, 'replaced');
  await writeFile(file, SECRET);
  await using one = await startTestGateway(fakeServices(store), {
    ...OFFLOAD,
    ...{ MEDIA_OFFLOAD_SECRET: '', MEDIA_OFFLOAD_SECRET_FILE: file },
  });
  const isRedirected = async (secret: string) => {
    const response = await ask(one.base, { ...PROXIED, 'x-media-offload-secret': secret }, one);
    await response.arrayBuffer();
    return response.headers.has('x-accel-redirect');
  };
  assert.equal(await isRedirected(SECRET), true);
  const next = SECRET.toUpperCase();
  await writeFile(file, next);
  await until('the new secret to take effect', () => isRedirected(next));
  assert.equal(await isRedirected(SECRET), false);
  await writeFile(file, 'short');
  await until('the former secret to end', async () => !(await isRedirected(next)));
  assert.equal(await isRedirected('short'), false);
});
