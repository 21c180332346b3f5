import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorReason } from '@recording-request/contract/error-codes';
import type { ErrorJson } from '@recording-request/contract/resources/error';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyInstance } from 'fastify';
import { requestIdOf } from './request-id.ts';
import { logOnSocket } from './request-log.ts';
import { runningOn } from './request-queue.ts';

const SHORT_BODIES = new WeakMap<IncomingMessage, () => void>();

/** Sets the function that responds to a request whose client closes its side in the middle of the body. */
export function onShortBody(request: IncomingMessage, answer: () => void): void {
  SHORT_BODIES.set(request, answer);
}

/** Answers bytes that are not HTTP. Such bytes have a socket but no response. */
export function answerClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  const response = runningOn(socket);
  // The running request is complete, so the bytes belong to a later one. Sends the running response, then ends the
  // connection.
  if (response?.req.complete && error.code !== 'ECONNRESET' && socket.writable) {
    response.once('close', () => socket.end());
    return;
  }
  // If a response is half sent, this connection cannot carry another response.
  const underWay = response?.headersSent;
  const answerShortBody = response && SHORT_BODIES.get(response.req);
  if (error.code === 'HPE_INVALID_EOF_STATE' && socket.writable && !underWay && answerShortBody) {
    answerShortBody();
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable || underWay) {
    socket.destroy();
    return;
  }
  endSocket(this, socket, CLIENT[error.code ?? ''] ?? NOT_HTTP, response?.req);
}

/** Answers CONNECT. Node has no response for CONNECT, and without a listener closes the connection. */
export function answerConnect(this: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  endSocket(this, socket, NO_TUNNEL, request);
}

/** Responds to a client with too many waiting requests; these wait for the response `running`. */
export function answerCrowded(this: FastifyInstance, socket: Socket, running: ServerResponse): void {
  noteShed('rate');
  // Reads no more from this client.
  socket.pause();
  // Sends no 429 in place of the response to a running write, because the client would think that the write did not
  // happen.
  const isSafe = running.req.method === 'GET' || running.req.method === 'HEAD';
  if (running.headersSent || !isSafe) socket.destroy();
  // The running request has its own log line.
  else endSocket(this, socket, CROWDED, undefined, () => socket.destroy());
}

/** Sends the answer and writes one log line with the same Request-Id. */
function endSocket(
  { log }: FastifyInstance,
  socket: Duplex,
  [status, sentence, reason]: ClientFault,
  request?: IncomingMessage,
  sent?: () => void,
): void {
  // Node removes its error listener from a connection that requests a tunnel; without another one, a reset would end
  // the process.
  socket.on('error', () => {});
  const requestId = requestIdOf(request);
  const body = JSON.stringify({ error: sentence } satisfies ErrorJson);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nError-Code: ${reason}\r\nRequest-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    sent,
  );
  logOnSocket(log, { requestId, status: Number.parseInt(status, 10), reason }, request);
}

type ClientFault = [status: string, sentence: string, reason: ErrorReason];
const NO_TUNNEL: ClientFault = ['405 Method Not Allowed', 'There are no tunnels here.', 'method_not_allowed'];
const CROWDED: ClientFault = [
  '429 Too Many Requests',
  'Too many requests wait on this connection; send the next one after an answer, or use more connections.',
  'rate_limited',
];
const NOT_HTTP: ClientFault = ['400 Bad Request', 'The request is not valid HTTP.', 'request_malformed'];
const CLIENT: Record<string, ClientFault> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.', 'request_timeout'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large; send fewer.',
    'headers_too_large',
  ],
};
