import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, InjectOptions } from 'fastify';

const internal = new AsyncLocalStorage<AbortSignal>();

/**
 * Sends a request to a route of this process, through all hooks. `clientGone` aborts when the client of the outer request
 * leaves. Rejects while the process stops.
 */
export const callRoute = (app: FastifyInstance, options: InjectOptions, clientGone: AbortSignal) =>
  internal.run(clientGone, async () => await app.inject(options));

/** Returns the signal of the running request's `callRoute`; undefined for a request of a client. */
export const outerSignal = (): AbortSignal | undefined => internal.getStore();
