import { OutageError } from '@recording-request/events/job-claims';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';

/**
 * Returns the bytes of an object, `missing`, or `tooLarge` for more than `maxBytes`. Rejects with an OutageError or the
 * signal's reason.
 */
export async function readAudio(
  objects: Objects,
  key: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer | 'missing' | 'tooLarge'> {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of await objects.get(key, { signal })) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) return 'tooLarge';
      chunks.push(chunk as Buffer);
    }
    signal.throwIfAborted();
    return Buffer.concat(chunks);
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw signal.aborted ? error : new OutageError('The audio could not be fetched', { cause: error });
  }
}
