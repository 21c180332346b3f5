import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Checksums } from './upload.ts';

/** The checksums of an upload's first bytes, taken as they come. */
export class RunningChecksums {
  /** How many bytes these are. */
  bytes = 0;
  private readonly sha256 = createHash('sha256');
  private crc32 = 0;

  add(chunk: Uint8Array): void {
    this.sha256.update(chunk);
    this.crc32 = crc32(chunk, this.crc32);
    this.bytes += chunk.length;
  }

  /** More can be added afterwards. */
  read(): Checksums {
    return { sha256: this.sha256.copy().digest('hex'), crc32: this.crc32 };
  }
}

/**
 * What this process has of the checksums of uploads between their requests. Bytes that were acknowledged never change, so
 * that checksums of so many of an upload's bytes are right whichever process took the rest; they are of use where none did.
 */
export interface KeptChecksums {
  /** Those of the first `bytes` of an upload, to go on with: nobody else gets them. Undefined where another process took some. */
  take(uploadId: string, bytes: number): RunningChecksums | undefined;
  /** Keeps those of bytes that were acknowledged. */
  keep(uploadId: string, checksums: RunningChecksums): void;
  /** Returns the checksums of the first `bytes` of an upload, as far as they are known here. */
  read(uploadId: string, bytes: number): Checksums | undefined;
  forget(uploadId: string): void;
}

const MAX_KEPT = 2_000;

/** Keeps those of `max` uploads, the latest. */
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
    forget: uploadId => void kept.delete(uploadId),
  };
}
