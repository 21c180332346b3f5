import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startMediaProxy } from '@recording-request/stack/media-proxy';
import { CONTENT, partsAt, servePart, startFakeStore } from './fake-store.ts';
import { PROJECT_ID, SUBMISSION_ID, startTestGateway } from './test-service.ts';

const SECRET = 'a-secret-of-the-proxy-0123456789abcdef';
const OFFLOAD = { MEDIA_OFFLOAD: 'accel', MEDIA_OFFLOAD_SECRET: SECRET, TRUSTED_PROXIES: '1' };

await using starting = new AsyncDisposableStack();
const dir = await mkdtemp(join(tmpdir(), 'recording-request-offload-parts-'));
starting.defer(() => rm(dir, { recursive: true, force: true }));
const store = starting.use(await startFakeStore());
const nginxStore = starting.use(await startFakeStore());
const gateway = starting.use(await startTestGateway({ submissions: { getMedia: partsAt(store) } }, OFFLOAD));
const proxy = starting.use(
  await startMediaProxy({ dir, gateway: gateway.base, store: nginxStore.url, secret: SECRET }),
);
const started = starting.move();
after(() => started.disposeAsync());

test('the gateway sends a medium in parts itself, also through a proxy that sends media', async () => {
  store.answer = servePart;
  let requested = 0;
  nginxStore.answer = (request, response) => {
    requested += 1;
    servePart(request, response);
  };
  for (const [range, status, bytes] of [
    [undefined, 200, CONTENT],
    ['bytes=140-460', 206, CONTENT.subarray(140, 461)],
  ] as const) {
    const headers = { ...gateway.bearer, ...(range && { range }) };
    const response = await fetch(`${proxy.url}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}/video`, {
      headers,
    });
    assert.equal(response.status, status);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    assert.equal(response.headers.get('cache-control'), 'private, no-cache');
  }
  assert.equal(requested, 0);
});
