import { createRequire } from 'node:module';

/** The requests of a connection: those that a limit holds back are `pending`. */
export interface RequestQueue {
  pending: unknown[];
  /** Plans a look for what can be sent by then. */
  scheduleCheckPendingRequests(): void;
}

let isMended = false;

/**
 * Has the connections to Kafka of this process rest while nothing is held back. The library plans the next look after each look, and where nothing is
 * held back for a time in the past, which Node takes for a millisecond: each connection woke its process a thousand times a second for as long as
 * it lived.
 */
export function restIdleConnections(): void {
  if (isMended) return;
  isMended = true;
  const require = createRequire(import.meta.resolve('kafkajs'));
  const { prototype } = require('./src/network/requestQueue/index.js') as { prototype: RequestQueue };
  const { scheduleCheckPendingRequests: schedule } = prototype;
  // What comes to be held back plans a look itself, and the end of each request is one.
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this);
  };
}
