import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const unmet = new WeakSet<IncomingMessage>();

/** Why a request with an `Expect` other than `100-continue` is refused, with 417. */
export const UNMET_EXPECTATION = 'Send no header Expect but 100-continue.';

/** Hands such a request on as every other: Node would answer it by itself, with an empty body, and no line would tell of it. */
export function acceptExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    server.emit('request', request, response);
  });
}

/** Whether a request is to be refused with 417. */
export const expectsMore = (request: IncomingMessage): boolean => unmet.has(request);
