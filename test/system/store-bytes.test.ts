/**
 * Counts the bytes that the services write to and read from the object store for one clip, from its first byte to
 * `ready`. This is a separate file, because a proxy in front of the store counts every byte of its services.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { ok } from '@recording-request/harness/http-client';
import { createUpload, tusRequest } from '@recording-request/harness/tus';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse } from '@recording-request/testing/contributor';
import { startTestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './harness/limits.ts';

const MiB = 1024 ** 2;
/** A clip is written twice (the upload and the stored video) and read twice (to inspect it and to make its media). */
const TIMES = 2.1;

/** Forwards connections to the store and counts their bytes. */
async function countingProxy(origin: string) {
  const { hostname, port } = new URL(origin);
  const counted = { written: 0, read: 0 };
  const server = createServer(client => {
    const store = connect(Number(port), hostname);
    client.on('data', chunk => (counted.written += chunk.length));
    store.on('data', chunk => (counted.read += chunk.length));
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, counted, [Symbol.dispose]: () => void server.close() };
}

await using starting = new AsyncDisposableStack();
const proxy = starting.use(await countingProxy(process.env.S3_ENDPOINT!));
const system = starting.use(await startTestSystem({ env: { S3_ENDPOINT: proxy.url } }));
const owner = await system.newOwner('Ada');
const { projectId, recipientUrls } = await owner.createProject({
  projectName: 'Bytes',
  count: 2,
  transcriptionEnabled: false,
});
// With only key frames, a second takes about 2 MB.
const picture = { width: 1920, height: 1080, frameRate: 25, keyFrameSec: 1 / 25 };
const clip = await testClip({ container: 'mp4', audio: 'none', seconds: 6, ...picture });
const started = starting.move();
after(() => started.disposeAsync());

for (const [index, [name, chunkBytes]] of [
  ['one request', Number.POSITIVE_INFINITY],
  ['many requests', MiB / 2],
].entries() as ArrayIterator<[number, [string, number]]>)
  test(`a clip sent in ${name} is written twice and read twice`, async () => {
    const { bytes } = clip;
    assert.ok(bytes.length > 6 * MiB, `a clip of ${bytes.length} bytes is too small for this test`);
    const link = recipientUrls[index]!.url;
    const metadata = { responseSessionId: await beginResponse(link), filetype: clip.mimeType };
    const before = { ...proxy.counted };
    const { url } = await createUpload(`${link}/uploads`, { metadata, length: bytes.length });
    for (let offset = 0; offset < bytes.length; ) {
      const chunk = bytes.subarray(offset, offset + chunkBytes);
      const answer = await tusRequest(url, 'PATCH', { 'Upload-Offset': String(offset) }, chunk);
      assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
      offset += chunk.length;
    }
    const isReady = async () => {
      const { submissions } = ok(await owner.ask(`/api/projects/${projectId}/submissions`));
      return (submissions as SubmissionJson[]).length > index && submissions[0].mediaStatus === 'ready';
    };
    await until('its media', isReady, SYSTEM_WAIT);
    for (const way of ['written', 'read'] as const) {
      const times = (proxy.counted[way] - before[way]) / bytes.length;
      assert.ok(times <= TIMES, `${times.toFixed(2)} times its size was ${way}`);
      assert.ok(times >= 1.9, `only ${times.toFixed(2)} times its size was ${way}: something is not counted`);
    }
  });
