import { once } from 'node:events';
import { bounded } from '@recording-request/kit/bounds';
import { ZipArchive } from 'archiver';

export interface ZipEntry {
  name: string;
  date: Date;
  content: string;
}

const BLOCK_BYTES = 64 * 1024;
// Far longer than a file of a megabyte takes.
const FILE_MS = 60_000;

/**
 * Yields a ZIP of deflated files; the same files produce the same bytes. Reads the next file after the reader has taken
 * the bytes of the current one. Holds about 400 bytes per file until the end, and writes the directory without a pause,
 * 25 µs per file. So the caller must bound the number of files.
 */
export async function* zipArchive(files: AsyncIterable<ZipEntry>, signal: AbortSignal): AsyncIterable<Buffer> {
  const zip = new ZipArchive({ zlib: { level: 6 } });
  const blocks = createBlocks();
  // Collects the chunks without a stream: the directory has twenty small chunks per file, and a stream would need 5 KB
  // for these.
  zip.on('data', blocks.add);
  try {
    for await (const { content, ...entry } of files) {
      const added = once(zip, 'entry');
      zip.append(Buffer.from(content), entry);
      await bounded(added, FILE_MS, 'a file of an archive', signal);
      yield* blocks.take();
    }
    const ended = once(zip, 'end');
    await Promise.all([zip.finalize(), bounded(ended, FILE_MS, 'the directory of an archive', signal)]);
    yield* blocks.take();
  } finally {
    zip.destroy();
  }
}

/** Gathers chunks in blocks. When the reader has taken a part of a block, later chunks use the rest. */
function createBlocks() {
  let full: Buffer[] = [];
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let taken = 0;
  let used = 0;
  return {
    add(chunk: Buffer): void {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(block, used, at);
        at += copied;
        used += copied;
        if (used < BLOCK_BYTES) continue;
        full.push(block.subarray(taken));
        block = Buffer.allocUnsafe(BLOCK_BYTES);
        taken = used = 0;
      }
    },
    take(): Buffer[] {
      const blocks = used > taken ? [...full, block.subarray(taken, used)] : full;
      full = [];
      taken = used;
      return blocks;
    },
  };
}
