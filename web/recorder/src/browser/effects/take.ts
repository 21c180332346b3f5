import type { Take, TakeRecord } from '../state/take.ts';
import type { Spool } from './spool.ts';

/** A take whose bytes only grow. Each chunk is first stored on the device; then the upload can read it. */
export interface StoredTake {
  readonly record: TakeRecord;
  /** The stored bytes so far. */
  readonly size: number;
  append(bytes: Blob): Promise<void>;
  /** Changes the record and stores it. */
  update(change: Partial<TakeRecord>): Promise<void>;
  /**
   * Returns the available bytes from `start` to `end`. If the file is gone or changed, returns the bytes that the
   * device has stored. Fails if the bytes cannot be read now and the device has stored none from `start`.
   */
  read(start: number, end: number): Promise<Blob>;
  whole(): Blob;
  forget(): Promise<void>;
  /** Returns the current state. */
  snapshot(): Take;
  /** Called whenever the take grows. */
  grown: () => void;
}

export async function newTake(spool: Spool, record: TakeRecord): Promise<StoredTake> {
  await spool.put(record).catch(() => {});
  return makeTake(spool, record, []);
}

/** Reads a take from an earlier visit. */
export async function readTake(spool: Spool, record: TakeRecord): Promise<StoredTake> {
  return makeTake(spool, record, await storedBlobs(spool, record));
}

const storedBlobs = async (spool: Spool, { id }: TakeRecord): Promise<Blob[]> =>
  (await spool.chunks(id)).map(bytes => new Blob([bytes]));

const sizeOf = (blobs: readonly Blob[]): number => blobs.reduce((sum, blob) => sum + blob.size, 0);

function makeTake(spool: Spool, record: TakeRecord, blobs: Blob[]): StoredTake {
  let size = sizeOf(blobs);
  let queue: Promise<void> = Promise.resolve();
  let isStored = true;
  const whole = () => new Blob(blobs, { type: record.type });
  const take: StoredTake = {
    record,
    get size() {
      return size;
    },
    append(bytes) {
      queue = queue.then(async () => {
        if (bytes.size === 0) return;
        // A full device must not stop the recording: the bytes are still in memory and on their way to the server.
        // After a missing chunk the device stores no later chunks, because a later visit would read them as if there
        // were no gap.
        if (isStored) {
          const storing = spool.append(record.id, blobs.length, await bytes.arrayBuffer());
          isStored = await storing.then(() => true).catch(() => false);
        }
        blobs.push(bytes);
        size += bytes.size;
        record.recorded = size;
        take.grown();
      });
      return queue;
    },
    async update(change) {
      Object.assign(record, change);
      await spool.put(record).catch(() => {});
    },
    async read(start, end) {
      const part = () => whole().slice(start, end).arrayBuffer();
      const bytes = await part().catch(async error => {
        // Reads from the device only after a chosen file is completely stored: until then, the code that stores it
        // reports the failure. A recording cannot disappear.
        if (!record.byFile || !record.stopped) throw error;
        const stored = await storedBlobs(spool, record);
        // Fails temporarily: a file that the device has not stored may become readable again, for example a file in a
        // cloud.
        if (sizeOf(stored) <= start) throw error;
        blobs.splice(0, blobs.length, ...stored);
        return part();
      });
      return new Blob([bytes]);
    },
    whole,
    forget: () => spool.forget(record.id).catch(() => {}),
    snapshot: () => ({ ...record, size }),
    grown: () => {},
  };
  return take;
}
