import type { Readable } from 'node:stream';
import { askPeer } from '../telemetry/peers.ts';
import { bodyOf } from './http/body.ts';
import type { StoreConnections } from './http/connections.ts';
import type { ByteSource } from './resumed-read.ts';

interface Store {
  connections: StoreConnections;
  presign(key: string): Promise<string>;
  get(key: string, options: { signal?: AbortSignal | undefined }): Promise<Readable>;
}

const never = new AbortController().signal;

/**
 * Returns a function that reads a whole object without copying its bytes: each chunk is its reader's until the next is asked
 * for. What the store answers otherwise, the client's own reading finds out.
 */
export function wholeReads({ connections, presign, get }: Store) {
  return async (key: string, { signal = never }: { signal?: AbortSignal | undefined } = {}): Promise<ByteSource> => {
    const url = new URL(await presign(key));
    const answered = askPeer('store');
    const answer = await connections.get(url, {}, signal).catch(error => {
      answered(signal.aborted ? 'cancelled' : 'unreachable');
      throw error;
    });
    const { head, connection } = answer;
    answered(head.status);
    if (head.status === 200 && head.contentLength !== undefined) return bodyOf(connection, signal);
    connection.giveUp();
    return await get(key, { signal });
  };
}
