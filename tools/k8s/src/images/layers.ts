import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Builder } from './builder.ts';

export interface Layer {
  digest: string;
  /** The compressed size, which a registry stores and a node pulls. */
  compressedBytes: number;
  /** The unpacked size. */
  bytes: number;
}

/** An image as a registry would store it. */
export interface Stored {
  /** The digest of the image's manifest. A deployment pins this digest. */
  digest: string;
  layers: Layer[];
}

/**
 * Returns an image's digest and layers as a push would create them, the lowest layer first. The caller may remove `dir`
 * afterwards.
 */
export async function storedForm({ buildah }: Builder, image: string, dir: string): Promise<Stored> {
  const work = await mkdtemp(join(dir, 'stored-'));
  try {
    await buildah('compressing an image', ['push', image, `oci:${work}:image`]);
    const blob = (digest: string) => join(work, 'blobs', ...digest.split(':'));
    const json = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
    const { digest } = (await json(join(work, 'index.json'))).manifests[0];
    const { layers } = await json(blob(digest));
    const sized = layers.map(async (layer: { digest: string; size: number }) => ({
      digest: layer.digest,
      compressedBytes: layer.size,
      bytes: await unpackedBytes(blob(layer.digest)),
    }));
    return { digest, layers: await Promise.all(sized) };
  } finally {
    await rm(work, { recursive: true });
  }
}

async function unpackedBytes(file: string): Promise<number> {
  let bytes = 0;
  await pipeline(createReadStream(file), createGunzip(), async source => {
    for await (const chunk of source) bytes += (chunk as Buffer).length;
  });
  return bytes;
}
