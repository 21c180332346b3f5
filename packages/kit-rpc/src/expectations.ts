import type { IncomingMessage, RequestListener, Server } from 'node:http';

const unmet = new WeakSet<IncomingMessage>();

/** The message of a 417, which a request with an `Expect` other than `100-continue` gets. */
export const UNMET_EXPECTATION = 'Send no header Expect but 100-continue.';

/**
 * Passes a request with an unknown `Expect` to `handle`, like every other request, because Node's own response has no
 * body and no log line.
 */
export function acceptExpectations(server: Server, handle: RequestListener): void {
  server.on('checkExpectation', (request, response) => {
    unmet.add(request);
    handle(request, response);
  });
}

/** Returns whether a request must get 417. */
export const expectsMore = (request: IncomingMessage): boolean => unmet.has(request);
