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
  slice(start: number, end: number): Blob;
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
  return makeTake(
    spool,
    record,
    (await spool.chunks(record.id)).map(bytes => new Blob([bytes])),
  );
}

function makeTake(spool: Spool, record: TakeRecord, blobs: Blob[]): StoredTake {
  let size = blobs.reduce((sum, blob) => sum + blob.size, 0);
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
        take.grown();
      });
      return queue;
    },
    async update(change) {
      Object.assign(record, change);
      await spool.put(record).catch(() => {});
    },
    slice: (start, end) => whole().slice(start, end),
    whole,
    forget: () => spool.forget(record.id).catch(() => {}),
    snapshot: () => ({ ...record, size }),
    grown: () => {},
  };
  return take;
}
