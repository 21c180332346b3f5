import type { IncomingMessage, RequestListener, Server } from 'node:http';

const unmet = new WeakSet<IncomingMessage>();

/** Why a request with an `Expect` other than `100-continue` is refused, with 417. */
export const UNMET_EXPECTATION = 'Send no header Expect but 100-continue.';

/** Passes such a request to `handle`, as every other one: Node's own response has no body, and leaves no line in the log. */
export function acceptExpectations(server: Server, handle: RequestListener): void {
  server.on('checkExpectation', (request, response) => {
    unmet.add(request);
    handle(request, response);
  });
}

/** Whether a request is to be refused with 417. */
export const expectsMore = (request: IncomingMessage): boolean => unmet.has(request);
