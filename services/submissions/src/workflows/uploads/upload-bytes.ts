import { Readable } from 'node:stream';
import type { Objects } from '@recording-request/kit-objects/objects';
import { readParts } from '@recording-request/kit-objects/read-parts';
import type { Context } from '../../context.ts';
import type { Source } from '../../domain/clips/submission.ts';
import { submissionPrefix, uploadPrefix } from '../../domain/object-keys.ts';
import { RunningChecksums } from '../../domain/uploads/running-checksums.ts';
import type { Checksums, Part, Upload } from '../../domain/uploads/upload.ts';

type BytesContext = Pick<Context, 'objects' | 'uploads'>;

/** Returns the parts of an upload that has no pages: some hundreds at most. */
export async function partList({ uploads }: Pick<Context, 'uploads'>, upload: Upload): Promise<Part[]> {
  return await Array.fromAsync(inOrder(uploads.partsOf(upload)));
}

/** Reads all bytes of an upload. Returns their checksums. */
export async function checksumsOf({ objects, uploads }: BytesContext, upload: Upload): Promise<Checksums> {
  const sums = new RunningChecksums();
  for await (const chunk of readParts(objects, inOrder(uploads.partsOf(upload)))) sums.add(chunk);
  return sums.read();
}

/** Joins the parts of an upload into one object. Returns the checksums of the object's bytes. */
export async function assemble({ objects, uploads }: BytesContext, upload: Upload, key: string): Promise<Checksums> {
  const options = { contentType: upload.mimeType ?? 'application/octet-stream', size: upload.offset };
  const sums = new RunningChecksums();
  const tallied = async function* () {
    for await (const chunk of readParts(objects, inOrder(uploads.partsOf(upload)))) {
      sums.add(chunk);
      yield chunk;
    }
  };
  await objects.put(key, Readable.from(tallied(), { objectMode: false }), options);
  return sums.read();
}

/** Fails unless the parts have as many bytes as the upload. */
export function expectAll({ offset }: Upload, parts: Part[]): void {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  if (bytes !== offset) throw new Error(`an upload of ${offset} bytes has parts of ${bytes}`);
}

/** Fails unless the stored object has as many bytes as the upload. */
export async function expectWhole(objects: Objects, { offset }: Upload, key: string): Promise<void> {
  const stored = await objects.stat(key);
  if (stored?.size !== offset) throw new Error(`an upload of ${offset} bytes was stored with ${stored?.size}`);
}

async function* inOrder(pages: AsyncIterable<Part[]>): AsyncGenerator<Part> {
  for await (const parts of pages) yield* parts;
}

/** Removes the uploaded bytes of a clip. Call this after an equal video was stored. */
export async function removeSource(objects: Objects, { key, uploadId }: Source): Promise<void> {
  if (uploadId) await removeParts(objects, { id: uploadId });
  else await objects.remove([key]);
}

const REMOVED_AT_ONCE = 1_000;

/** Removes all parts under the upload's prefix, including parts that were stored but not recorded. */
export async function removeParts(objects: Objects, upload: Pick<Upload, 'id'>): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of objects.list(uploadPrefix(upload.id))) {
    if (keys.push(key) < REMOVED_AT_ONCE) continue;
    await objects.remove(keys);
    keys = [];
  }
  await objects.remove(keys);
}

/** Removes all bytes of a refused upload. While a backup runs, only records that they must be removed later. */
export async function removeUnlessHeld(
  { objects, backupHold }: Pick<Context, 'objects' | 'backupHold'>,
  upload: Upload,
): Promise<void> {
  if (await backupHold.isHeld()) await backupHold.keep(upload.id);
  else await removeBytes(objects, upload);
}

/** Removes all bytes of an upload that did not become a submission: its parts and the joined object. */
export async function removeBytes(objects: Objects, upload: Upload): Promise<void> {
  await objects.purge(uploadPrefix(upload.id));
  if (upload.submissionId) await objects.purge(submissionPrefix(upload.projectId, upload.submissionId));
}

/** Returns whether the upload has become a submission. */
export async function isDelivered({ submissions }: Pick<Context, 'submissions'>, upload: Upload): Promise<boolean> {
  const { ownerId, projectId, submissionId } = upload;
  return submissionId !== undefined && (await submissions.exists(ownerId, projectId, submissionId));
}

/**
 * Removes the bytes of an ended upload, unless a process that paused until after its lease has delivered them as a
 * clip.
 */
export async function removeEnded(
  context: Pick<Context, 'objects' | 'submissions' | 'uploads'>,
  upload: Upload,
): Promise<void> {
  if (await isDelivered(context, upload)) await context.uploads.hasLanded(upload);
  else await removeBytes(context.objects, upload);
}
