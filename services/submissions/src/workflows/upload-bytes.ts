import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Objects } from '@recording-request/kit/objects';
import type { Context } from '../context.ts';
import { submissionPrefix, uploadPrefix } from '../domain/object-keys.ts';
import type { Checksums, Part, Upload } from '../domain/upload.ts';

/**
 * Makes one object of the parts. Returns the checksums of its bytes. Where they are known the bytes need not be read: the store
 * copies them by itself.
 */
export async function assemble(
  { objects, uploads }: Pick<Context, 'objects' | 'uploads'>,
  upload: Upload,
  key: string,
  known: Checksums | undefined,
): Promise<Checksums> {
  const options = { contentType: upload.mimeType ?? 'application/octet-stream', size: upload.offset };
  if (known) {
    await objects.join(key, () => inOrder(uploads.partsOf(upload)), options);
    return known;
  }
  const sums = { sha256: createHash('sha256'), crc32: 0 };
  const bytes = Readable.from(readParts(objects, uploads.partsOf(upload), sums), { objectMode: false });
  await objects.put(key, bytes, options);
  return { sha256: sums.sha256.digest('hex'), crc32: sums.crc32 };
}

/** Fails unless the store says that the object has as many bytes as the upload. */
export async function expectWhole(objects: Objects, { offset }: Upload, key: string): Promise<void> {
  const stored = await objects.stat(key);
  if (stored?.size !== offset) throw new Error(`an upload of ${offset} bytes was stored with ${stored?.size}`);
}

async function* inOrder(pages: AsyncIterable<Part[]>): AsyncGenerator<Part> {
  for await (const parts of pages) yield* parts;
}

// Many small parts are read side by side: one after the other, a hundred thousand of them take minutes.
const SMALL_BYTES = 64 * 1024;
const SMALL_AT_ONCE = 16;

async function* readParts(
  objects: Objects,
  pages: AsyncIterable<Part[]>,
  sums: { sha256: ReturnType<typeof createHash>; crc32: number },
) {
  for await (const parts of pages) {
    for (const some of alike(parts)) {
      // A single one is passed on as it comes: it can be large.
      const bodies =
        some.length > 1 ? await Promise.all(some.map(part => whole(objects, part))) : stream(objects, some[0]!);
      for await (const chunk of bodies) {
        sums.sha256.update(chunk);
        sums.crc32 = crc32(chunk, sums.crc32);
        yield chunk;
      }
    }
  }
}

/** Returns the parts in order, neighbours that are small together. */
function alike(parts: Part[]): Part[][] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const fits = last && last.length < SMALL_AT_ONCE && [part, last[0]!].every(each => each.size <= SMALL_BYTES);
    if (fits) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

async function whole(objects: Objects, part: Part): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream(objects, part)));
}

async function* stream(objects: Objects, part: Part): AsyncIterable<Buffer> {
  let size = 0;
  for await (const chunk of await objects.get(part.key)) {
    size += chunk.length;
    yield chunk as Buffer;
  }
  if (size !== part.size) throw new Error(`a part of ${part.size} bytes was read with ${size}`);
}

const REMOVED_AT_ONCE = 1_000;

/** Removes the parts, by their prefix: also those that a writer stored and that did not count in the end. */
export async function removeParts(objects: Objects, upload: Pick<Upload, 'id'>): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of objects.list(uploadPrefix(upload.id))) {
    if (keys.push(key) < REMOVED_AT_ONCE) continue;
    await objects.remove(keys);
    keys = [];
  }
  await objects.remove(keys);
}

/** Removes all bytes of an upload that was refused; after the backup that is being made at this moment, if one is. */
export async function removeUnlessHeld(
  { objects, backupHold }: Pick<Context, 'objects' | 'backupHold'>,
  upload: Upload,
): Promise<void> {
  if (await backupHold.isHeld()) await backupHold.keep(upload.id);
  else await removeBytes(objects, upload);
}

/** Removes all bytes of an upload that did not become a submission: its parts, and what they were assembled to. */
export async function removeBytes(objects: Objects, upload: Upload): Promise<void> {
  await objects.purge(uploadPrefix(upload.id));
  if (upload.submissionId) await objects.purge(submissionPrefix(upload.projectId, upload.submissionId));
}

/** Whether the upload has become a submission. */
export async function isDelivered({ submissions }: Pick<Context, 'submissions'>, upload: Upload): Promise<boolean> {
  const { ownerId, projectId, submissionId } = upload;
  return submissionId !== undefined && (await submissions.exists(ownerId, projectId, submissionId));
}

/** Removes the bytes of an upload that has ended, but for those of a clip that a process delivered which slept past its lease. */
export async function removeEnded(context: Pick<Context, 'objects' | 'submissions'>, upload: Upload): Promise<void> {
  if (await isDelivered(context, upload)) await removeParts(context.objects, upload);
  else await removeBytes(context.objects, upload);
}
