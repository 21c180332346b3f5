import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createObjects, isMissing } from '../../src/objects.ts';
import { readParts } from '../../src/read-parts.ts';
import { type Each, MiB, sha256, streamOf, type TestBucket, type, wayTo } from './test-bucket.ts';

export function wholeObjects(each: Each): void {
  each('a get returns the bytes of the put, and a second put replaces the first', async ({ objects, read }) => {
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

  each('an empty buffer and an empty stream become empty objects', async ({ objects, read }) => {
    await objects.put('whole/none', Buffer.alloc(0), type);
    await objects.put('whole/no-stream', Readable.from([]), { ...type, size: 0 });
    for (const key of ['whole/none', 'whole/no-stream']) {
      assert.equal((await objects.stat(key))?.size, 0);
      assert.equal((await read(key)).length, 0);
    }
  });

  each('a missing object: a read fails, a look-up finds nothing, a removal changes nothing', async ({ objects }) => {
    await assert.rejects(objects.get('whole/nowhere'), isMissing);
    assert.equal(await objects.stat('whole/nowhere'), undefined);
    await objects.remove(['whole/nowhere']);
    assert.equal(await objects.stat('whole'), undefined, 'a folder is not an object');
  });
}

export function streams(each: Each): void {
  each('streams of any length are stored and read, with and without a declared length', async ({ objects, read }) => {
    for (const bytes of [1, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 17 * MiB]) {
      const body = randomBytes(bytes);
      await objects.put('streams/declared', streamOf(body), { ...type, size: bytes });
      await objects.put('streams/undeclared', streamOf(body, 999_983), type);
      for (const key of ['streams/declared', 'streams/undeclared']) {
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

  each('a long stream is stored and read within the memory of a few parts', async ({ objects }) => {
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

export function inParts(each: Each): void {
  each('objects of any sizes are read in order', async ({ objects }) => {
    const small = Array.from({ length: 40 }, (_, at) => at * 7);
    for (const sizes of [[], [7], [0, 3], small, [MiB, 5, 6, 2 * MiB, 64 * 1024, 64 * 1024 + 1, 9]]) {
      const bodies = sizes.map(size => randomBytes(size));
      const parts = bodies.map((body, at) => ({ key: `parts/${at}-ü`, size: body.length }));
      for (const [at, { key }] of parts.entries()) await objects.put(key, bodies[at]!, type);
      const read = Buffer.concat(await Array.fromAsync(readParts(objects, parts)));
      assert.equal(sha256(read), sha256(Buffer.concat(bodies)), `of ${sizes} bytes`);
    }
  });

  each('a missing part and a part of another size end the read', async ({ objects }) => {
    for (const size of [10, MiB]) {
      const there = { key: `parts/there-${size}`, size };
      await objects.put(there.key, randomBytes(size), type);
      const reading = (parts: { key: string; size: number }[]) => Array.fromAsync(readParts(objects, parts));
      await assert.rejects(reading([there, { key: 'parts/nowhere', size }, there]), isMissing);
      await assert.rejects(reading([there, { ...there, size: size + 1 }]), /was read with/);
      await assert.rejects(reading([{ ...there, size: size - 1 }, there]), /was read with/);
    }
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

export function halfStored(each: Each): void {
  const kept = Buffer.from('as it was');
  /** Checks that a failed put does not change the object and leaves no open upload. */
  async function endsWith(
    bucket: TestBucket,
    expected: RegExp,
    putting: (key: string) => Promise<void>,
  ): Promise<void> {
    const key = `half/${randomBytes(4).toString('hex')}`;
    await bucket.objects.put(key, kept, type);
    await assert.rejects(putting(key), expected);
    assert.ok((await bucket.read(key)).equals(kept), 'the object is as it was before');
    assert.deepEqual(await bucket.openUploads(), [], 'no upload is left open');
  }
  const breaking = (at: number) =>
    Readable.from(
      (function* () {
        yield randomBytes(at);
        throw new Error('the source broke');
      })(),
      { objectMode: false },
    );

  each('a source that fails early or late stores nothing', async bucket => {
    for (const at of [100, 8 * MiB + 5, 30 * MiB])
      await endsWith(bucket, /the source broke/, key => bucket.objects.put(key, breaking(at), type));
  });

  each('a stream of another length than declared stores nothing', async bucket => {
    for (const [declared, comes] of [
      [100, 99],
      [100, 101],
      [20 * MiB, 20 * MiB - 1],
      [20 * MiB, 20 * MiB + 1],
    ] as const)
      await endsWith(bucket, /bytes was declared/, key =>
        bucket.objects.put(key, streamOf(randomBytes(comes)), { ...type, size: declared }),
      );
  });

  each('a put that is aborted in the middle stores nothing', async bucket => {
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
    await endsWith(bucket, /called off/, key => bucket.objects.put(key, endless, { ...type, signal: stop.signal }));
    await endsWith(bucket, /called off/, key =>
      bucket.objects.put(key, streamOf(kept), { ...type, signal: stop.signal }),
    );
  });

  each('the store refuses bytes that changed on the way, in a buffer and in a stream', async bucket => {
    const bytes = randomBytes(9 * MiB).fill('as it was sent', MiB);
    const summed: boolean[] = [];
    await using way = await wayTo(bucket.settings.s3Endpoint, piece => {
      const text = piece.toString('latin1');
      if (text.startsWith('PUT ')) summed.push(/x-amz-checksum-crc32: /i.test(text));
      return text.includes('as it was sent') ? Buffer.from(text.replaceAll('was sent', 'was said'), 'latin1') : piece;
    });
    const changing = createObjects({ ...bucket.settings, s3Endpoint: way.endpoint });
    const refused = /BadDigest|Mismatch|checksum|digest|Content-MD5|SHA-?256/i;
    await endsWith(bucket, refused, key => changing.put(key, bytes.subarray(0, 2 * MiB), type));
    await endsWith(bucket, refused, key => changing.put(key, streamOf(bytes), type));
    // The probe has a checksum. The first request for the object has one if the store verifies checksums. The last
    // request has none.
    assert.match(summed.slice(0, 3).join(), /^true,(true,)?false/);
    await changing.put('half/unchanged', bytes.subarray(0, MiB), type);
    assert.ok((await bucket.read('half/unchanged')).equals(bytes.subarray(0, MiB)));
  });

  each('concurrent puts of one key store one whole body, never a mixture', async ({ objects, read, openUploads }) => {
    for (const bytes of [1_000, 18 * MiB]) {
      const bodies = Array.from({ length: 5 }, () => randomBytes(bytes));
      const key = `half/at-once-${bytes}`;
      await Promise.all(bodies.map(body => objects.put(key, streamOf(body, MiB), { ...type, size: bytes })));
      assert.ok(bodies.map(sha256).includes(sha256(await read(key))), `of ${bytes} bytes`);
    }
    assert.deepEqual(await openUploads(), []);
  });

  each('the open uploads of a dead process are aborted, and running ones are not', async bucket => {
    const { objects, raw, settings } = bucket;
    const left = await raw.initiateNewMultipartUpload(settings.s3Bucket, 'half/left', {});
    const part = { bucketName: settings.s3Bucket, objectName: 'half/left', uploadID: left, partNumber: 1, headers: {} };
    await raw.uploadPart(part, randomBytes(5 * MiB));
    assert.equal(await objects.endOpenPuts(new Date(Date.now() - 60_000)), 0);
    assert.deepEqual(await bucket.openUploads(), ['half/left']);
    assert.equal(await objects.endOpenPuts(new Date(Date.now() + 60_000)), 1);
    assert.deepEqual(await bucket.openUploads(), []);
    assert.equal(await objects.stat('half/left'), undefined);
  });
}
