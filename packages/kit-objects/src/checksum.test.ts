import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { createObjects } from './objects.ts';

const type = { contentType: 'video/webm' };
const SHA256 = /^[0-9a-f]{64}$/;

interface Asked {
  method: string;
  key: string;
  payload: string;
  isChecksumRight: boolean | undefined;
}

/** A store that answers each request with what `answer` returns: an error's status and code, or undefined for success. */
async function fakeStore(answer: (requested: Asked) => [status: number, code: string] | undefined) {
  const requested: Asked[] = [];
  const heard = async (request: IncomingMessage): Promise<Asked> => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const sum = headers['x-amz-checksum-crc32']?.toString();
    const isChecksumRight = sum === undefined ? undefined : Buffer.from(sum, 'base64').readUInt32BE() === crc32(body);
    return {
      method,
      key: url.split('/bucket/')[1] ?? '',
      payload: String(headers['x-amz-content-sha256']),
      isChecksumRight,
    };
  };
  const server = createServer(async (request, response) => {
    const each = await heard(request);
    requested.push(each);
    const success: [number, string] = [each.method === 'DELETE' ? 204 : 200, ''];
    const [status, code] = answer(each) ?? success;
    response.writeHead(status, { 'x-amz-version-id': 'v1' }).end(code && `<Error><Code>${code}</Code></Error>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const s3Endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { s3Endpoint, s3AccessKey: () => 'a', s3SecretKey: () => 'b', s3Region: 'r', s3Bucket: 'bucket' };
  return {
    objects: createObjects(settings),
    requested,
    to: (key: string) => requested.filter(each => each.key === key),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const probes = (requested: Asked[]) => requested.filter(each => each.key.startsWith('checksum-probe'));

test('a store that verifies checksums gets one with each object', async () => {
  await using store = await fakeStore(({ isChecksumRight }) =>
    isChecksumRight === false ? [400, 'BadDigest'] : undefined,
  );
  await Promise.all(['a', 'b', 'c'].map(key => store.objects.put(key, Buffer.from(`bytes of ${key}`), type)));
  await store.objects.put('d', Buffer.alloc(0), type);
  for (const key of ['a', 'b', 'c', 'd'])
    assert.deepEqual(
      store.to(key).map(({ isChecksumRight }) => isChecksumRight),
      [true],
    );
  assert.equal(probes(store.requested).length, 1, 'the store is probed once');
});

test('a store that ignores or refuses checksums gets the signed hash, and is not probed for each object', async () => {
  const refusals: Array<[number, string] | undefined> = [
    undefined,
    [501, 'NotImplemented'],
    [400, 'InvalidRequest'],
    [403, 'AccessDenied'],
  ];
  for (const refusal of refusals) {
    await using store = await fakeStore(({ isChecksumRight }) => (isChecksumRight === undefined ? undefined : refusal));
    for (const key of ['a', 'b']) {
      await store.objects.put(key, Buffer.from('bytes'), type);
      const [only, ...others] = store.to(key);
      assert.match(only!.payload, SHA256);
      assert.deepEqual([only!.isChecksumRight, others], [undefined, []], String(refusal));
    }
    const requested = probes(store.requested).map(({ method, key }) => `${method} ${key}`);
    const kept = refusal === undefined ? ['DELETE checksum-probe?versionId=v1'] : [];
    assert.deepEqual(requested, ['PUT checksum-probe', ...kept], 'and the probe leaves no object');
  }
});

test('a store that starts to refuse correct checksums still gets every object', async () => {
  await using store = await fakeStore(({ isChecksumRight }) =>
    isChecksumRight === undefined ? undefined : [400, 'BadDigest'],
  );
  for (const key of ['a', 'b']) await store.objects.put(key, Buffer.from('bytes'), type);
  assert.deepEqual(
    store.requested.map(({ key, isChecksumRight }) => [key, isChecksumRight]),
    [
      ['checksum-probe', false],
      ['a', true],
      ['a', undefined],
      ['b', undefined],
    ],
  );
});

test('a put that is aborted during the probe blocks no other put', async () => {
  const stop = new AbortController();
  await using store = await fakeStore(({ isChecksumRight }) => {
    if (isChecksumRight !== false) return undefined;
    stop.abort(new Error('called off'));
    return [400, 'BadDigest'];
  });
  const off = store.objects.put('off', Buffer.from('bytes'), { ...type, signal: stop.signal });
  const other = store.objects.put('other', Buffer.from('bytes'), type);
  await assert.rejects(off, /called off/);
  await other;
  await store.objects.put('later', Buffer.from('bytes'), type);
  assert.equal(store.to('later')[0]?.isChecksumRight, true, 'a probe without a result is repeated');
});

test('a full store does not get the same object twice', async () => {
  await using store = await fakeStore(({ key, isChecksumRight }) => {
    if (isChecksumRight === false) return [400, 'BadDigest'];
    return key === 'a' ? [507, 'XMinioStorageFull'] : undefined;
  });
  await assert.rejects(store.objects.put('a', Buffer.from('bytes'), type), { code: 'XMinioStorageFull' });
  assert.equal(store.to('a').length, 1);
});
