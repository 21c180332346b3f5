import type { Socket } from 'node:net';
import type { ErrorReason } from '@recording-request/contract/error-codes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RETRY_AFTER_SECONDS } from './errors.ts';
import { onShortBody } from './socket-answers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The connection of a streamed request, and the number of bytes that the connection had read when the body began.
     */
    streamedFrom: { socket: Socket; bodyBeganAt: number } | undefined;
    /**
     * The address of the upload that this request creates; undefined for other requests, and before the gateway sends
     * the creation to the service.
     */
    uploadLocation: string | undefined;
  }
}

/**
 * Answers 503, with the number of received bytes, as soon as the client of a streamed body closes its side before the
 * declared length. Clients of resumable uploads continue after 503 and give up at 4xx. This hook runs before slow
 * hooks, because the client may close while they run.
 */
export function installShortBodies(app: FastifyInstance): void {
  app.decorateRequest('streamedFrom', undefined);
  app.decorateRequest('uploadLocation', undefined);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config?.streamsBody) return;
    const { raw } = request;
    // Reads the socket now, because undici removes the socket from a request when it drops the request's body. At this
    // point, only buffered bytes of the body have been read.
    const { socket } = raw;
    request.streamedFrom = { socket, bodyBeganAt: socket.bytesRead - raw.readableLength };
    onShortBody(raw, () => endShortBody(request, reply));
  });
}

/** Answers a request whose client stopped in the middle of its body. */
export function endShortBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, streamedFrom, uploadLocation } = request;
  const length = raw.headers['content-length'];
  const came =
    length === undefined || !streamedFrom
      ? 'before its end'
      : `after ${streamedFrom.socket.bytesRead - streamedFrom.bodyBeganAt} of ${length} bytes`;
  if (uploadLocation !== undefined && !reply.sent) reply.header('location', uploadLocation);
  endWith503(reply, `The upload stopped ${came}: ${nextStep(request)}.`, 'upload_incomplete');
}

/**
 * Returns the sentence that says what the client must do next. If a creation stopped early, the upload at its Location
 * may not exist.
 */
function nextStep({ method, uploadLocation }: FastifyRequest): string {
  if (method !== 'POST') return 'ask for its offset with HEAD, and go on from there';
  if (uploadLocation === undefined) return 'create it again';
  return 'ask Location with HEAD for its offset, and go on from there; at 404 create it again';
}

/**
 * Answers 503 and closes the connection, because the rest of the body would block the next request on this connection.
 */
export function endWith503(reply: FastifyReply, sentence: string, reason: ErrorReason = 'unavailable'): void {
  if (reply.sent) return;
  const { raw } = reply.request;
  // Ends the request too, because Node keeps it open after the response, and the call to the service would wait for the
  // rest of the bytes.
  reply.raw.once('close', () => raw.complete || raw.destroy());
  reply
    .code(503)
    .removeHeader('content-length')
    .header('retry-after', String(RETRY_AFTER_SECONDS))
    .header('connection', 'close')
    .header('error-code', reason)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: sentence }));
}
