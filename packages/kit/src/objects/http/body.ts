import type { ByteSource } from '../resumed-read.ts';
import type { StoreConnection } from './connection.ts';

/** The body that a connection is about to carry; `onEnd` is told when it was read, given up or called off. */
export function bodyOf(connection: StoreConnection, signal: AbortSignal, onEnd = () => {}): ByteSource {
  let isOver = false;
  const end = (how: () => void) => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', abort);
    onEnd();
    how();
  };
  const abort = () => end(() => connection.destroy(signal.reason as Error));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const giveUp = () => end(() => connection.giveUp());
  const chunks: AsyncIterator<Buffer> = {
    async next() {
      if (isOver) {
        signal.throwIfAborted();
        return { done: true, value: undefined };
      }
      const next = await connection.next();
      if (next.done) end(() => {});
      return next;
    },
    async return() {
      giveUp();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => chunks, destroy: giveUp };
}
