import type { TakeRecord } from '../state/take.ts';

/** Stores takes on this device until the server has them. */
export interface Spool {
  takes(link: string): Promise<TakeRecord[]>;
  put(record: TakeRecord): Promise<void>;
  /** Stores the next bytes. Rejects when the device is full. */
  append(takeId: string, sequence: number, bytes: ArrayBuffer): Promise<void>;
  chunks(takeId: string): Promise<ArrayBuffer[]>;
  forget(takeId: string): Promise<void>;
}

const DATABASE = 'recordings';

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });

/**
 * Opens the device's store. If the browser refuses (private windows), returns a store that lasts as long as the page.
 */
export async function openSpool(): Promise<Spool> {
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('takes', { keyPath: 'id' }).createIndex('link', 'link');
      opening.result.createObjectStore('chunks');
    };
    return durable(await settled(opening));
  } catch {
    return memorySpool();
  }
}

function durable(database: IDBDatabase): Spool {
  // An empty array sorts after every number.
  const range = (takeId: string) => IDBKeyRange.bound([takeId], [takeId, []]);
  return {
    takes: link => settled(database.transaction('takes').objectStore('takes').index('link').getAll(link)),
    async put(record) {
      const transaction = database.transaction('takes', 'readwrite');
      transaction.objectStore('takes').put(record);
      await committed(transaction);
    },
    async append(takeId, sequence, bytes) {
      // Waits until the bytes are on the disk, because a battery may die at any time.
      const transaction = database.transaction('chunks', 'readwrite', { durability: 'strict' });
      transaction.objectStore('chunks').put(bytes, [takeId, sequence]);
      await committed(transaction);
    },
    chunks: takeId => settled(database.transaction('chunks').objectStore('chunks').getAll(range(takeId))),
    async forget(takeId) {
      const transaction = database.transaction(['takes', 'chunks'], 'readwrite');
      transaction.objectStore('takes').delete(takeId);
      transaction.objectStore('chunks').delete(range(takeId));
      await committed(transaction);
    },
  };
}

function memorySpool(): Spool {
  return {
    takes: async () => [],
    put: async () => {},
    append: async () => {},
    chunks: async () => [],
    forget: async () => {},
  };
}
