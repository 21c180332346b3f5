import type { Readable } from 'node:stream';
import type { Client } from 'minio';
import { metadataHeaders, type WholePut } from './checksum.ts';
import { runRequest } from './requests.ts';

// A stream holds two parts in memory: one part fills while the previous part is sent.
const PART_BYTES = 8 * 1024 * 1024;

export interface StreamPut {
  client: Client;
  /** Stores a body shorter than one part. */
  putWhole(put: WholePut): Promise<void>;
  bucket: string;
  key: string;
  body: Readable;
  contentType: string;
  metadata?: Record<string, string> | undefined;
  /** In bytes, if known. A stream with another length is refused. */
  size?: number | undefined;
  requestMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Stores a stream as one object: a short stream in one request, a long stream as a multipart upload. Aborts the
 * multipart upload after any failure. The client's own method has three faults: it resumes an open upload of the same
 * key, even another process's upload; it leaves an upload open after a failure; and it waits forever for a broken
 * source.
 */
export async function putStream(put: StreamPut): Promise<void> {
  const { body, signal } = put;
  // The reader of the stream reports its errors. An error while nothing reads the stream must not end the process.
  body.on('error', () => {});
  const stop = () => void body.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', stop, { once: true });
  const parts = partsOf(body, put.size);
  try {
    signal?.throwIfAborted();
    const first = await parts.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (head.length >= PART_BYTES) return await putParts(put, head, parts);
    const more = await parts.next();
    checkSize(head.length + (more.done ? 0 : more.value.length), put.size);
    const { key, contentType, metadata } = put;
    await put.putWhole({ key, body: head, contentType, metadata, signal });
  } catch (error) {
    body.destroy(error as Error);
    await parts.return(undefined).catch(() => {});
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Aborts the open multipart uploads under `prefix`; with `before`, only the uploads that began before this time.
 * Returns their number.
 */
export async function endOpenUploads(
  { client, bucket, requestMs }: Pick<StreamPut, 'client' | 'bucket' | 'requestMs'>,
  { prefix = '', before }: { prefix?: string; before?: Date },
): Promise<number> {
  let ended = 0;
  let at = { key: '', upload: '' };
  for (;;) {
    const page = await runRequest(
      () => client.listIncompleteUploadsQuery(bucket, prefix, at.key, at.upload, ''),
      requestMs,
      'listing open uploads',
    );
    for (const { key, uploadId, initiated } of page.uploads) {
      if (before && initiated >= before) continue;
      await endUpload(client, bucket, key, uploadId, requestMs);
      ended += 1;
    }
    if (!page.isTruncated || page.nextKeyMarker === at.key) return ended;
    at = { key: page.nextKeyMarker, upload: page.nextUploadIdMarker };
  }
}

async function putParts(put: StreamPut, head: Buffer, rest: AsyncGenerator<Buffer>): Promise<void> {
  const { client, bucket, key, contentType, metadata, requestMs, signal } = put;
  const run = <T>(work: () => Promise<T>) => runRequest(work, requestMs, 'storing an object', signal);
  const headers = { 'Content-Type': contentType, ...metadataHeaders(metadata) };
  const id = await run(() => client.initiateNewMultipartUpload(bucket, key, headers));
  const parts: Array<{ part: number; etag: string }> = [];
  let bytes = 0;
  const send = async (payload: Buffer) => {
    bytes += payload.length;
    const config = { bucketName: bucket, objectName: key, uploadID: id, partNumber: parts.length + 1, headers: {} };
    const { etag } = await run(() => client.uploadPart(config, payload));
    parts.push({ part: config.partNumber, etag });
  };
  let sending = send(head);
  try {
    for (;;) {
      // The next part fills while this part is sent. `Promise.all` instead of a race, so that neither failure is
      // unhandled.
      const [next] = await Promise.all([rest.next(), sending]);
      if (next.done) break;
      sending = send(next.value);
    }
    checkSize(bytes, put.size);
    await run(() => client.completeMultipartUpload(bucket, key, id, parts));
  } catch (error) {
    // Waits for the running request, because a part that arrives after the abort would stay in the store. If the abort
    // fails, the next `endOpenUploads` finds the upload.
    await sending.catch(() => {});
    await endUpload(client, bucket, key, id, requestMs).catch(() => {});
    throw error;
  }
}

/**
 * Yields the parts of a body, each in its own memory. If the size is known, yields the last part as soon as its last
 * byte has come, because the sender may keep the body open until the object may be completed.
 */
async function* partsOf(body: Readable, size: number | undefined): AsyncGenerator<Buffer> {
  let filling: Buffer | undefined;
  let [bytes, total] = [0, 0];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      // Memory pages that are never written take no memory.
      filling ??= Buffer.allocUnsafe(Math.min(PART_BYTES, Math.max(1, size ?? PART_BYTES)));
      const copied = chunk.copy(filling, bytes, at);
      at += copied;
      bytes += copied;
      total += copied;
      if (bytes < filling.length && total !== size) continue;
      yield filling.subarray(0, bytes);
      filling = undefined;
      bytes = 0;
    }
  }
  if (filling && bytes > 0) yield filling.subarray(0, bytes);
}

function checkSize(bytes: number, expected: number | undefined): void {
  if (expected !== undefined && bytes !== expected)
    throw new Error(`an object of ${expected} bytes was declared, but ${bytes} came`);
}

/** Aborts a multipart upload, open or not. */
export async function endUpload(
  client: Client,
  bucket: string,
  key: string,
  id: string,
  requestMs: number,
): Promise<void> {
  await runRequest(() => client.abortMultipartUpload(bucket, key, id), requestMs, 'ending an upload').catch(error => {
    if ((error as { code?: string }).code !== 'NoSuchUpload') throw error;
  });
}
