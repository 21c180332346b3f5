import type { Take, TakeRecord } from '../state/take.ts';
import type { Spool } from './spool.ts';

/** A take: bytes that only grow. What was appended is first stored on the device, and only then there to be uploaded. */
export interface StoredTake {
  readonly record: TakeRecord;
  /** Bytes stored so far. */
  readonly size: number;
  append(bytes: Blob): Promise<void>;
  /** Changes the record and stores it. */
  update(change: Partial<TakeRecord>): Promise<void>;
  /**
   * Bytes from `start` to `end`, as many as there are: of a file that is gone or was changed since it was chosen, those that
   * the device has stored. Fails when they cannot be read now, nor does the device have any from `start` on.
   */
  read(start: number, end: number): Promise<Blob>;
  whole(): Blob;
  forget(): Promise<void>;
  /** As it is now. */
  snapshot(): Take;
  /** Called whenever there is more of it. */
  grown: () => void;
}

export async function newTake(spool: Spool, record: TakeRecord): Promise<StoredTake> {
  await spool.put(record).catch(() => {});
  return makeTake(spool, record, []);
}

/** A take that an earlier visit left. */
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
        // A full device must not stop the recording: the bytes are still in memory, and on their way to the server. Where some are not on the
        // device, none that follow are either: a later visit would take what comes after the gap for what is in it.
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
        // While a file is still being stored that is found there; and what was recorded does not go away.
        if (!record.byFile || !record.stopped) throw error;
        const stored = await storedBlobs(spool, record);
        // A file that the device has not stored may be there again in a moment, as one in a cloud is.
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
