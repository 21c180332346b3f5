import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

const CHUNK_BYTES = 4 * 1024 ** 2;

export interface FreeMemory extends AsyncDisposable {
  /** Has the memory taken that is free now, but for what stayed free last time. Returns how many bytes were. */
  take(signal: AbortSignal): Promise<number>;
}

/** What it reads, and of how much; the machine's by default. */
interface Machine {
  freeBytes(): number;
  totalBytes: number;
}

/**
 * Keeps free memory in pages of a file in `dir`, which has no bytes on the disk; the kernel gives such pages to whatever needs memory,
 * before any others. In a virtual machine each page that was free has to come from the host first: writing a file of 28 MB took 160
 * to 220 ms in pages that were free, and 8 ms in these, so that what an upload took would tell of what had ended before it.
 */
export async function keepFreeMemory(
  dir: string,
  { freeBytes, totalBytes }: Machine = { freeBytes: freeMemory, totalBytes: totalmem() },
): Promise<FreeMemory> {
  const file = await open(join(dir, 'free-memory'), 'w+');
  // More than the cache can hold: what is read next is never there already.
  await file.truncate(totalBytes);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let at = 0;
  // The kernel leaves some of it free however much is read.
  let stays = 0;
  return {
    async take(signal) {
      const wanted = freeBytes() - stays;
      let taken = 0;
      while (taken < wanted) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        taken += bytesRead;
        at = bytesRead < chunk.length ? 0 : at + bytesRead;
      }
      stays = freeBytes();
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await file.truncate(0);
      await file.close();
    },
  };
}

/** The memory that nothing uses, not even the kernel's cache of files, in bytes. */
function freeMemory(): number {
  const kilobytes = /^MemFree:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error('the system does not tell how much memory is free');
  return Number(kilobytes) * 1024;
}
