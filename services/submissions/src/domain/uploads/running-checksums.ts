import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Checksums } from './upload.ts';

/** The checksums of an upload's first bytes, computed as they arrive. */
export class RunningChecksums {
  /** The number of bytes included so far. */
  bytes = 0;
  private readonly sha256 = createHash('sha256');
  private crc32 = 0;

  add(chunk: Uint8Array): void {
    this.sha256.update(chunk);
    this.crc32 = crc32(chunk, this.crc32);
    this.bytes += chunk.length;
  }

  /** Returns the checksums so far. More bytes can be added afterwards. */
  read(): Checksums {
    return { sha256: this.sha256.copy().digest('hex'), crc32: this.crc32 };
  }
}

/**
 * The checksums that this process keeps between the requests of an upload. Acknowledged bytes never change, so the
 * checksums of the first n bytes remain valid. They cover the whole upload only when one process received all of it.
 */
export interface KeptChecksums {
  /**
   * Removes and returns the checksums of the first `bytes` bytes of an upload, so that the caller can add bytes.
   * Returns undefined when another process received some of these bytes.
   */
  take(uploadId: string, bytes: number): RunningChecksums | undefined;
  /** Keeps the checksums of acknowledged bytes. */
  keep(uploadId: string, checksums: RunningChecksums): void;
  /** Returns the checksums of the first `bytes` bytes of an upload, if this process has them. */
  read(uploadId: string, bytes: number): Checksums | undefined;
  /** Returns the latest checksums of an upload, and how many bytes they cover. */
  readAll(uploadId: string): (Checksums & { bytes: number }) | undefined;
  forget(uploadId: string): void;
}

const MAX_KEPT = 2_000;

/** Keeps the checksums of the `max` most recent uploads. */
export function createKeptChecksums(max = MAX_KEPT): KeptChecksums {
  const kept = new Map<string, RunningChecksums>();
  return {
    take(uploadId, bytes) {
      const found = kept.get(uploadId);
      kept.delete(uploadId);
      if (bytes === 0) return new RunningChecksums();
      return found?.bytes === bytes ? found : undefined;
    },
    keep(uploadId, checksums) {
      kept.delete(uploadId);
      kept.set(uploadId, checksums);
      if (kept.size > max) kept.delete(kept.keys().next().value!);
    },
    read(uploadId, bytes) {
      const found = kept.get(uploadId);
      return found?.bytes === bytes ? found.read() : undefined;
    },
    readAll(uploadId) {
      const found = kept.get(uploadId);
      return found && { ...found.read(), bytes: found.bytes };
    },
    forget: uploadId => void kept.delete(uploadId),
  };
}
