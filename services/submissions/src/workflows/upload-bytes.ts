import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Objects } from '@recording-request/kit/objects';
import { submissionPrefix, uploadPrefix } from '../domain/object-keys.ts';
import type { Upload } from '../domain/upload.ts';

/** Streams the parts into one object and checks that it is whole. Returns the hex SHA-256 of its bytes. */
export async function assemble(objects: Objects, upload: Upload, key: string): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Readable.from(readParts(objects, upload, hash), { objectMode: false });
  await objects.put(key, bytes, { contentType: upload.filetype || 'application/octet-stream', size: upload.offset });
  const stored = await objects.stat(key);
  if (stored?.size !== upload.offset)
    throw new Error(`an upload of ${upload.offset} bytes was stored with ${stored?.size}`);
  return hash.digest('hex');
}

async function* readParts(objects: Objects, upload: Upload, hash: ReturnType<typeof createHash>) {
  for (const part of upload.parts) {
    let size = 0;
    for await (const chunk of await objects.get(part.key)) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk as Buffer;
    }
    if (size !== part.size) throw new Error(`a part of ${part.size} bytes was read with ${size}`);
  }
}

/** Removes the parts, by their prefix: also those that a writer stored and that did not count in the end. */
export async function removeParts(objects: Objects, upload: Upload): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list(uploadPrefix(upload.id))) keys.push(key);
  await objects.remove(keys);
}

/** Removes all bytes of an upload that did not become a submission: its parts, and what they were assembled to. */
export async function removeBytes(objects: Objects, upload: Upload): Promise<void> {
  await objects.purge(uploadPrefix(upload.id));
  if (upload.submissionId) await objects.purge(submissionPrefix(upload.projectId, upload.submissionId));
}
