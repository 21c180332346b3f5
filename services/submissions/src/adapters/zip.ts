import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ZipArchive } from 'archiver';

export interface ZipEntry {
  name: string;
  date: Date;
  stream: Readable;
}

// What is made ahead of a slow reader.
const AHEAD_BYTES = 128 * 1024;

/** Streams a ZIP: stored, not deflated, because video does not shrink. The next entry is asked for when its turn comes. */
export async function* zipChunks(entries: AsyncIterable<ZipEntry>, signal: AbortSignal): AsyncIterable<Buffer> {
  const archive = new ZipArchive({ store: true, highWaterMark: AHEAD_BYTES });
  const stop = () => archive.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  // A failure while filling ends the reading below.
  const filling = fill(archive, entries).catch(error => archive.destroy(error as Error));
  try {
    for await (const chunk of archive as unknown as Readable) yield chunk as Buffer;
    await filling;
  } finally {
    signal.removeEventListener('abort', stop);
    archive.destroy();
  }
}

async function fill(archive: ZipArchive, entries: AsyncIterable<ZipEntry>): Promise<void> {
  for await (const entry of entries) await append(archive, entry);
  await archive.finalize();
}

async function append(archive: ZipArchive, { name, date, stream }: ZipEntry): Promise<void> {
  // A destroyed archive destroys no stream by itself, and an object half read keeps its connection.
  const destroy = () => stream.destroy();
  if (archive.destroyed) {
    destroy();
    throw new Error('the ZIP was abandoned');
  }
  archive.once('close', destroy);
  stream.once('error', error => archive.destroy(error));
  const written = once(archive as never, 'entry');
  archive.append(stream, { name, date });
  await written;
  archive.off('close', destroy);
}
