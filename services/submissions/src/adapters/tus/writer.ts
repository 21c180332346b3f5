import { AsyncLocalStorage } from 'node:async_hooks';
import { uuidv7 } from '@recording-request/kit/ids';

const current = new AsyncLocalStorage<string>();

/**
 * Runs one request with a writer's id of its own. The id under which its lease is taken is the one under which it writes,
 * the one that has the lease by then: `@tus/server` hands its store no request, so that it goes with the call.
 */
export const asWriter = <T>(work: () => Promise<T>): Promise<T> => current.run(uuidv7(), work);

/** Returns the writer's id of the request that is being served. */
export function writerId(): string {
  const id = current.getStore();
  if (id === undefined) throw new Error('there is no writer outside of a request');
  return id;
}
