import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { Client } from 'minio';
import { createObjects, isMissing, type Objects } from '../src/objects.ts';
import { purging as purgingOf } from '../src/objects-purge.ts';

/** S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION of a store. */
export type StoreEnv = Record<string, string>;

const MiB = 1024 ** 2;
const type = { contentType: 'application/octet-stream' };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** What every S3 store must do for this product. `open` gives its variables; each run has a bucket of its own. */
export function objectsContract(store: string, open: () => Promise<StoreEnv>): void {
  describe(`object store on ${store}`, { timeout: 90_000 }, () => {
    let room: Room;
    before(async () => {
      room = await roomIn(await open());
    });
    after(() => room?.clear());
    const each = (name: string, run: (room: Room) => Promise<void>) => test(name, () => run(room));
    wholeObjects(each);
    streams(each);
    halfStored(each);
    reading(each);
    manyKeys(each);
    purging(each);
    refusals(each);
  });
}

type Each = (name: string, run: (room: Room) => Promise<void>) => void;
type Room = Awaited<ReturnType<typeof roomIn>>;

async function roomIn(env: StoreEnv) {
  const { S3_ENDPOINT: endpoint = '', S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '' } = env;
  const settings = {
    endpoint,
    accessKey,
    secretKey,
    region: env.S3_REGION!,
    bucket: `c${randomBytes(6).toString('hex')}`,
  };
  const objects = createObjects(settings);
  // Of two processes that start at once, both go on.
  await Promise.all([objects.ensureBucket(), createObjects(settings).ensureBucket()]);
  await objects.ensureBucket();
  const { hostname, port } = new URL(endpoint);
  const raw = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    ...settings,
  });
  return {
    objects,
    settings,
    raw,
    async read(key: string, range?: { offset?: number; length?: number }): Promise<Buffer> {
      const chunks: Buffer[] = [];
      for await (const chunk of await objects.get(key, range)) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    async openUploads(): Promise<string[]> {
      const { uploads } = await raw.listIncompleteUploadsQuery(settings.bucket, '', '', '', '');
      return uploads.map(upload => upload.key);
    },
    async keys(prefix: string): Promise<string[]> {
      return (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    },
    async clear() {
      await objects.endOpenPuts(new Date(Date.now() + 60_000));
      await objects.remove(await this.keys(''));
      await raw.removeBucket(settings.bucket);
    },
  };
}

/** `bytes` in pieces, so that it has no length of its own. */
const streamOf = (bytes: Buffer, piece = 64 * 1024): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    })(),
    { objectMode: false },
  );

function wholeObjects(each: Each): void {
  each('bytes come back as they were put, and a second put replaces the first', async ({ objects, read }) => {
    const [first, second] = [randomBytes(100_000), randomBytes(50_000)];
    await objects.put('whole/a', first, type);
    const before = await objects.stat('whole/a');
    assert.ok((await read('whole/a')).equals(first));
    assert.equal(before?.size, 100_000);
    await objects.put('whole/a', second, type);
    const after = await objects.stat('whole/a');
    assert.ok((await read('whole/a')).equals(second));
    assert.equal(after?.size, 50_000);
    assert.notEqual(after?.etag, before?.etag);
  });

  each('nothing is an object too: a buffer and a stream without bytes', async ({ objects, read }) => {
    await objects.put('whole/none', Buffer.alloc(0), type);
    await objects.put('whole/no-stream', Readable.from([]), { ...type, size: 0 });
    for (const key of ['whole/none', 'whole/no-stream']) {
      assert.equal((await objects.stat(key))?.size, 0);
      assert.equal((await read(key)).length, 0);
    }
  });

  each('what is not there: reading says so, looking finds nothing, removing changes nothing', async ({ objects }) => {
    await assert.rejects(objects.get('whole/nowhere'), isMissing);
    assert.equal(await objects.stat('whole/nowhere'), undefined);
    await objects.remove(['whole/nowhere']);
    assert.equal(await objects.stat('whole'), undefined, 'a folder is no object');
  });
}

function streams(each: Each): void {
  each('streams of any length come back, with and without a length that was told', async ({ objects, read }) => {
    for (const bytes of [1, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 17 * MiB]) {
      const body = randomBytes(bytes);
      await objects.put('streams/told', streamOf(body), { ...type, size: bytes });
      await objects.put('streams/untold', streamOf(body, 999_983), type);
      for (const key of ['streams/told', 'streams/untold']) {
        assert.equal((await objects.stat(key))?.size, bytes);
        assert.equal(sha256(await read(key)), sha256(body), `${bytes} bytes of ${key}`);
      }
    }
  });

  each('a large buffer is stored like a small one', async ({ objects, read }) => {
    const body = randomBytes(20 * MiB);
    await objects.put('streams/buffer', body, type);
    assert.equal(sha256(await read('streams/buffer')), sha256(body));
  });

  each('a long stream goes in and out in the memory of a few parts', async ({ objects }) => {
    const piece = randomBytes(MiB);
    const hashes = { in: createHash('sha256'), out: createHash('sha256') };
    const peak = peakMemory();
    const pieces = function* () {
      for (let i = 0; i < LONG_MiB; i += 1) {
        hashes.in.update(piece);
        peak.look();
        yield piece;
      }
    };
    await objects.put('streams/long', Readable.from(pieces(), { objectMode: false }), {
      ...type,
      size: LONG_MiB * MiB,
    });
    for await (const chunk of await objects.get('streams/long')) {
      hashes.out.update(chunk as Buffer);
      peak.look();
    }
    assert.equal(hashes.out.digest('hex'), hashes.in.digest('hex'));
    assert.ok(peak.grownMiB() < LONG_MiB / 2, `a stream of ${LONG_MiB} MiB took ${peak.grownMiB()} MiB of memory`);
    await objects.remove(['streams/long']);
  });
}

const LONG_MiB = 192;

function peakMemory() {
  const used = () => process.memoryUsage.rss() / MiB;
  const start = used();
  let most = start;
  return {
    look() {
      most = Math.max(most, used());
    },
    grownMiB: () => Math.round(most - start),
  };
}

function halfStored(each: Each): void {
  const kept = Buffer.from('as it was');
  /** Whatever ends the put, the object is as before and nothing is left open. */
  async function endsWith(room: Room, expected: RegExp, putting: (key: string) => Promise<void>): Promise<void> {
    const key = `half/${randomBytes(4).toString('hex')}`;
    await room.objects.put(key, kept, type);
    await assert.rejects(putting(key), expected);
    assert.ok((await room.read(key)).equals(kept), 'the object is as it was before');
    assert.deepEqual(await room.openUploads(), [], 'nothing is left half stored');
  }
  const breaking = (at: number) =>
    Readable.from(
      (function* () {
        yield randomBytes(at);
        throw new Error('the source broke');
      })(),
      { objectMode: false },
    );

  each('a source that breaks stores nothing, early or late', async room => {
    for (const at of [100, 8 * MiB + 5, 30 * MiB])
      await endsWith(room, /the source broke/, key => room.objects.put(key, breaking(at), type));
  });

  each('a stream of another length than was told stores nothing', async room => {
    for (const [told, comes] of [
      [100, 99],
      [100, 101],
      [20 * MiB, 20 * MiB - 1],
      [20 * MiB, 20 * MiB + 1],
    ] as const)
      await endsWith(room, /bytes was to be stored/, key =>
        room.objects.put(key, streamOf(randomBytes(comes)), { ...type, size: told }),
      );
  });

  each('a put that is called off in the middle stores nothing', async room => {
    const stop = new AbortController();
    const endless = Readable.from(
      (function* () {
        for (let i = 0; ; i += 1) {
          if (i === 20) stop.abort(new Error('called off'));
          yield randomBytes(MiB);
        }
      })(),
      { objectMode: false },
    );
    await endsWith(room, /called off/, key => room.objects.put(key, endless, { ...type, signal: stop.signal }));
    await endsWith(room, /called off/, key => room.objects.put(key, streamOf(kept), { ...type, signal: stop.signal }));
  });

  each('puts of one key at once: one of them whole, never a mixture', async ({ objects, read, openUploads }) => {
    for (const bytes of [1_000, 18 * MiB]) {
      const bodies = Array.from({ length: 5 }, () => randomBytes(bytes));
      const key = `half/at-once-${bytes}`;
      await Promise.all(bodies.map(body => objects.put(key, streamOf(body, MiB), { ...type, size: bytes })));
      assert.ok(bodies.map(sha256).includes(sha256(await read(key))), `of ${bytes} bytes`);
    }
    assert.deepEqual(await openUploads(), []);
  });

  each('what a process left half stored when it died is ended, and what is under way is not', async room => {
    const { objects, raw, settings } = room;
    const left = await raw.initiateNewMultipartUpload(settings.bucket, 'half/left', {});
    const part = { bucketName: settings.bucket, objectName: 'half/left', uploadID: left, partNumber: 1, headers: {} };
    await raw.uploadPart(part, randomBytes(5 * MiB));
    assert.equal(await objects.endOpenPuts(new Date(Date.now() - 60_000)), 0);
    assert.deepEqual(await room.openUploads(), ['half/left']);
    assert.equal(await objects.endOpenPuts(new Date(Date.now() + 60_000)), 1);
    assert.deepEqual(await room.openUploads(), []);
    assert.equal(await objects.stat('half/left'), undefined);
  });
}

function reading(each: Each): void {
  each('ranges give the bytes that were asked for; what lies past the end is refused', async ({ objects, read }) => {
    const body = randomBytes(10 * MiB + 7);
    await objects.put('read/ranges', streamOf(body), type);
    const size = body.length;
    for (const [offset, length] of [
      [0, 1],
      [0, 4096],
      [8 * MiB - 3, 6],
      [size - 1, 1],
      [size - 5, 100],
    ] as const)
      assert.ok((await read('read/ranges', { offset, length })).equals(body.subarray(offset, offset + length)));
    assert.ok((await read('read/ranges', { offset: 9 * MiB })).equals(body.subarray(9 * MiB)));
    await assert.rejects(objects.get('read/ranges', { offset: size, length: 1 }));
    await assert.rejects(objects.get('read/ranges', { length: 0 }), RangeError);
  });

  each('a reader that waits keeps no other one waiting, and gets the rest', async ({ objects, read }) => {
    const body = randomBytes(24 * MiB);
    await objects.put('read/slow', streamOf(body), type);
    const hash = createHash('sha256');
    const slow = (await objects.get('read/slow'))[Symbol.asyncIterator]();
    hash.update((await slow.next()).value as Buffer);
    for (let i = 0; i < 20; i += 1) assert.equal((await read('read/slow', { offset: i, length: 10 })).length, 10);
    for (let next = await slow.next(); !next.done; next = await slow.next()) hash.update(next.value as Buffer);
    assert.equal(hash.digest('hex'), sha256(body));
  });

  each('readers that go away give their connections back', async ({ objects, read }) => {
    await objects.put('read/left', streamOf(randomBytes(16 * MiB)), type);
    // More of them than there are connections: were one kept each, the last would wait for ever.
    for (let round = 0; round < 8; round += 1)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const stream = await objects.get('read/left');
          await stream[Symbol.asyncIterator]().next();
          stream.destroy();
        }),
      );
    assert.equal((await read('read/left', { length: 3 })).length, 3);
  });

  each('a read that is called off ends with the reason', async ({ objects }) => {
    await objects.put('read/off', streamOf(randomBytes(16 * MiB)), type);
    const stop = new AbortController();
    const stream = await objects.get('read/off', { signal: stop.signal });
    await stream[Symbol.asyncIterator]().next();
    stop.abort(new Error('called off'));
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, /called off/);
    await assert.rejects(objects.get('read/off', { signal: stop.signal }), /called off/);
  });

  each('a presigned address reads one object for its time, whole or in ranges, and nothing else', async room => {
    const { objects } = room;
    const body = randomBytes(70_000);
    await objects.put('read/signed', body, type);
    await objects.put('read/other', body, type);
    const url = await objects.presignGet('read/signed', 60);
    assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(body));
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-length'), '10');
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(body.subarray(10, 20)));
    const past = await fetch(url, { headers: { range: 'bytes=70000-' } });
    assert.equal(past.status, 416);
    for (const wrong of [url.replace('read/signed', 'read/other'), url.replace(/Signature=../, 'Signature=00')])
      assert.equal((await fetch(wrong)).status, 403);
    assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(await objects.presignGet('read/nowhere', 60))).status, 404);
    const short = await objects.presignGet('read/signed', 1);
    const until = Date.now() + 20_000;
    while ((await fetch(short)).status !== 403) assert.ok(Date.now() < until, 'an address ends with its time');
  });
}

const ODD_KEYS = [
  'a b',
  'a&b=c?d#e',
  'its (fine), [really]; {yes}!',
  '<tag>&amp;',
  'back\\slash',
  'tilde~and$and@and:and*and|and^and`',
  'Grüße',
  'ñandú',
  '日本語.webm',
  '🎥-take',
  'عربي',
  'x'.repeat(255),
  '.hidden',
  '-dash',
];

function manyKeys(each: Each): void {
  each('keys with odd characters are keys like any other', async ({ objects, read, keys }) => {
    const all = ODD_KEYS.map(key => `odd/${key}`);
    for (const key of all) await objects.put(key, Buffer.from(key), type);
    for (const key of all) {
      assert.equal((await read(key)).toString(), key);
      assert.equal((await objects.stat(key))?.size, Buffer.byteLength(key), key);
      const signed = await fetch(await objects.presignGet(key, 60));
      assert.equal(await signed.text(), key);
    }
    assert.deepEqual((await keys('odd/')).sort(), all.toSorted());
    await objects.remove(all);
    assert.deepEqual(await keys('odd/'), []);
    for (const key of ['', '/a', 'a/', 'a//b', '../a', 'a/./b', '100%', 'a+b', "it's", 'a\nb', 'x'.repeat(256)])
      await assert.rejects(objects.put(key, Buffer.from(key), type), RangeError, key);
  });

  each('more keys than a page has are listed once each, by their prefix, and removed', async ({ objects, keys }) => {
    const all = Array.from({ length: 1_100 }, (_, i) => `many/${i % 7}/${String(i).padStart(6, '0')}`);
    const one = Buffer.from('1');
    for (let at = 0; at < all.length; at += 100)
      await Promise.all(all.slice(at, at + 100).map(key => objects.put(key, one, type)));
    await objects.put('many-others/1', one, type);
    assert.deepEqual(await keys('many/'), all.toSorted());
    assert.deepEqual(await keys('many/3/'), all.filter(key => key.startsWith('many/3/')).toSorted());
    assert.equal((await keys('many')).length, all.length + 1, 'a prefix is no folder');
    assert.deepEqual(await keys('nothing/'), []);
    await objects.remove([...all, 'many/nowhere']);
    assert.deepEqual(await keys('many'), ['many-others/1']);
  });
}

function purging(each: Each): void {
  /** A prefix with two objects of which one was written over and one removed, and with a put that was cut. */
  async function purgeAll({ objects, raw, settings, keys, openUploads }: Room, name: string, versions: number) {
    const prefix = `${name}/it/`;
    for (const key of ['a', 'a', 'b']) await objects.put(prefix + key, Buffer.from('12345'), type);
    await objects.put(`${name}/it-is-another`, Buffer.from('1'), type);
    await objects.remove([`${prefix}b`]);
    await raw.initiateNewMultipartUpload(settings.bucket, `${prefix}cut`, {});
    const held = { objects: versions > 1 ? 2 : 1, versions, bytes: versions * 5 };
    assert.deepEqual(await objects.holdings(prefix), held);
    assert.deepEqual(await objects.purge(prefix, ['cut']), held, 'what was there is told');
    assert.deepEqual(await objects.holdings(prefix), { objects: 0, versions: 0, bytes: 0 });
    assert.deepEqual(await openUploads(), []);
    assert.deepEqual(await keys(`${name}/`), [`${name}/it-is-another`]);
    assert.deepEqual(
      await objects.purge(prefix),
      { objects: 0, versions: 0, bytes: 0 },
      'a second time changes nothing',
    );
  }

  each('what is under a prefix is purged, with what is half stored, and nothing beside it', async room => {
    await purgeAll(room, 'purge', 1);
  });

  each('what is stored in the midst of purging is purged too; where it never ends, that is said', async room => {
    const { raw, settings, objects } = room;
    let late = 2;
    // A job that stores on while it is not yet known to it that its submission is being erased.
    const client: Client = Object.create(raw, {
      removeObjects: {
        async value(...named: Parameters<Client['removeObjects']>) {
          const answer = await raw.removeObjects(...named);
          if (late-- > 0) await objects.put(`late/${late}`, Buffer.from('12345'), type);
          return answer;
        },
      },
    });
    const { purge } = purgingOf({ client, bucket: settings.bucket, requestMs: 10_000, list: objects.list });
    await objects.put('late/first', Buffer.from('12345'), type);
    assert.deepEqual(await purge('late/'), { objects: 3, versions: 3, bytes: 15 });
    late = Number.POSITIVE_INFINITY;
    await objects.put('late/first', Buffer.from('12345'), type);
    await assert.rejects(purge('late/'), /try again in a moment/);
    await objects.purge('late/');
  });

  each('a bucket that keeps versions keeps none of what was purged', async room => {
    const { raw, settings } = room;
    const on = { ...settings, bucket: `${settings.bucket}-versions` };
    const objects = createObjects(on);
    await objects.ensureBucket();
    try {
      await raw.setBucketVersioning(on.bucket, { Status: 'Enabled' });
    } catch {
      // A store that keeps no versions at all: what it cannot do it cannot do wrong.
      await raw.removeBucket(on.bucket);
      return;
    }
    const keys = async (prefix: string) => (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    await purgeAll({ ...room, objects, settings: on, keys, openUploads: async () => [] }, 'purge', 3);
    await objects.purge('');
    await raw.removeBucket(on.bucket);
  });
}

function refusals(each: Each): void {
  const everything: Array<(objects: Objects) => Promise<unknown>> = [
    objects => objects.put('a', Buffer.from('a'), type),
    objects => objects.put('a', streamOf(randomBytes(9 * MiB)), type),
    objects => objects.get('a'),
    objects => objects.stat('a'),
    objects => objects.remove(['a']),
    objects => Array.fromAsync(objects.list('')),
  ];

  each('a bucket that is not there is an error, never an object that is not there', async ({ settings }) => {
    const objects = createObjects({ ...settings, bucket: `${settings.bucket}-gone` });
    for (const call of everything) await assert.rejects(call(objects), error => !isMissing(error));
  });

  each('wrong credentials are an error that does not show them', async ({ settings }) => {
    const wrong = { secretKey: 'not-the-secret-of-this-store' };
    for (const other of [wrong, { ...wrong, accessKey: 'nobody-we-know-of' }]) {
      const objects = createObjects({ ...settings, ...other });
      for (const call of [...everything, (each: Objects) => each.ensureBucket()])
        await assert.rejects(call(objects), (error: Error) => {
          const text = `${error.stack} ${JSON.stringify(error)}`;
          return !isMissing(error) && !text.includes(wrong.secretKey) && !text.includes(settings.secretKey);
        });
    }
  });
}
