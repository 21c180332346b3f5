import { once } from 'node:events';
import type { Server as HttpServer, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorReason } from '@recording-request/contract/error-codes';
import { splitListen } from '@recording-request/kit/config';
import { isUuid, uuidv7 } from '@recording-request/kit/ids';
import { acceptExpectations, expectsMore, UNMET_EXPECTATION } from '@recording-request/kit-rpc/expectations';
import { createInternalServer, isFrom } from '@recording-request/kit-rpc/internal/http';
import { inRequest, nameRequest } from '@recording-request/kit-telemetry/http-requests';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import { noteSubject } from '@recording-request/kit-telemetry/subject';
import { UPLOAD_CALLERS } from '@recording-request/proto/callers';
import { Server as TusServer } from '@tus/server';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import type { Context } from '../context.ts';
import { closeHttp } from './close-http.ts';
import { type Fault, headersSentence } from './errors.ts';
import { tusHooks, UPLOADS_PATH } from './hooks.ts';
import { createLocker } from './locker.ts';
import { FIRST_ROOM_BYTES } from './part-buffer.ts';
import { headerFault, setHeader, toStrictHeaders } from './request-headers.ts';
import { logRequest } from './request-log.ts';
import { PartStore } from './store.ts';
import { asWriter, keyOf } from './writer.ts';

const TUS_VERSION = '1.0.0';
// The time that the holder of the writer's lease has to flush while another PATCH waits for the lease.
const LOCK_DRAIN_MS = 250;
const HEADERS_MS = 30_000;
const RETRY_AFTER = '5';
const BYTES_COME = new Set(['POST', 'PATCH']);
// The memory of one writer: the first room of its buffer, its connection, its streams and its requests to other
// services.
const WRITER_BYTES = FIRST_ROOM_BYTES + 128 * 1024;
const KEEP_ALIVE_MS = 65_000;
// When the service stops, this many seconds remain after the last request for landings, consumers and connections.
const AFTER_REQUESTS_SECONDS = 10;
const LEAST_DRAIN_SECONDS = 1;

/** Returns how long running requests may continue during a stop of at most `stopGraceSeconds`, in milliseconds. */
export const drainMsOf = (stopGraceSeconds: number): number =>
  1_000 * Math.max(LEAST_DRAIN_SECONDS, stopGraceSeconds - AFTER_REQUESTS_SECONDS);

/** Starts the internal HTTP endpoint that receives the bytes. Only the gateway calls it. */
export async function startTusServer(context: Context): Promise<{ address: string; close(): Promise<void> }> {
  const server = createTusServer(context);
  const { httpListen, stopGraceSeconds } = context.config;
  const { host, port } = splitListen(httpListen);
  const close = () => closeHttp(server, drainMsOf(stopGraceSeconds));
  server.listen(port, host);
  await once(server, 'listening');
  return { address: `${host}:${(server.address() as AddressInfo).port}`, close };
}

function createTusServer(context: Context): HttpServer {
  const { config, log } = context;
  const datastore = new PartStore({ ...context, objects: context.uploadObjects });
  const tus = new TusServer({
    path: UPLOADS_PATH,
    datastore,
    locker: createLocker(context),
    lockDrainTimeout: LOCK_DRAIN_MS,
    maxSize: config.uploadMaxBytes,
    relativeLocation: true,
    namingFunction: ({ headers }) => uploadIdOf(headers.get('x-upload-id')),
    ...tusHooks(context),
  });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const broke = logRequest(log, request, response);
    dropRest(request, response);
    if (!isFrom(request, UPLOAD_CALLERS, context.internal))
      return refuseAtOnce(response, 403, 'This interface takes uploads from the gateway alone.');
    if (expectsMore(request)) return refuseAtOnce(response, 417, UNMET_EXPECTATION, 'expectation_failed');
    asWriter(writerOf(request), () => handle(tus, context, request, response)).catch(error => {
      broke(error);
      response.destroy();
    });
  };
  const listener: RequestListener = (request, response) =>
    inRequest(request, response, () => answer(request, response));
  const server = createInternalServer(context.internal, listener);
  acceptExpectations(server, listener);
  // No limit on the total time: the bytes of a recording may take as long as the recording itself. Only silence ends a
  // request.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_MS;
  server.timeout = config.uploadIdleSeconds * 1_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/** Returns the last segment of the path. It is the id of the upload, except in a request that creates an upload. */
const uploadNamed = ({ url }: IncomingMessage): string => url?.split('?')[0]?.split('/').at(-1) ?? '';

const writerOf = ({ method, headers }: IncomingMessage) => ({
  projectId: String(headers['x-project-id'] ?? ''),
  // The library treats a POST with this header as a request with bytes.
  onlyCreates: method === 'POST' && headers['content-type'] === undefined,
});

/** The gateway chooses the id of an upload. */
const uploadIdOf = (given: string | null): string => (given !== null && isUuid(given) ? given : uuidv7());

async function handle(
  tus: TusServer,
  context: Pick<Context, 'uploads' | 'uploadMemory'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  nameRequest(request, request.method === 'POST' ? UPLOADS_PATH : `${UPLOADS_PATH}/:uploadId`);
  const { 'x-upload-id': created, 'x-project-id': projectId } = request.headers;
  noteSubject({ uploadId: request.method === 'POST' ? created : uploadNamed(request), projectId });
  if (request.url === '/healthz') return void response.end('ok');
  if (request.method !== 'OPTIONS' && request.headers['tus-resumable'] !== TUS_VERSION)
    return refuseAtOnce(response, 412, `Send the header Tus-Resumable: ${TUS_VERSION}.`, 'tus_version_unsupported');
  if (!BYTES_COME.has(request.method ?? '')) return await serve(tus, context, request, response);
  // Refuses the request before it reads a byte, so that all admitted requests fit into memory.
  const memory = context.uploadMemory.of(String(request.headers['x-owner-id'] ?? ''));
  if (!memory.take(WRITER_BYTES)) {
    noteShed('upload');
    return refuseAtOnce(response, 503, 'Too many uploads are running; try again in a moment.');
  }
  try {
    await serve(tus, context, request, response);
  } finally {
    memory.giveBack(WRITER_BYTES);
  }
}

async function serve(
  tus: TusServer,
  context: Pick<Context, 'uploads'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  toStrictHeaders(request);
  const fault = headerFault(request) ?? (await lengthFault(context, request));
  if (fault !== undefined) return refuseAtOnce(response, 400, fault);
  const answer = await tus.handleWeb(new NodeRequest({ req: request, res: response }));
  await sent(response, answer.status >= 400 ? await asJson(answer) : answer);
}

/**
 * Reads and drops the rest of a body after its HTTP response was sent. If the connection closed with unread bytes, it
 * would be reset, and the client could lose the response. The gateway closes the connection after it has received the
 * response.
 */
function dropRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => request.complete || request.resume());
}

/**
 * Sends the response. Returns at the latest when the connection closes, because Node never finishes a response to a
 * client that has disconnected.
 */
async function sent(response: ServerResponse, answer: Response): Promise<void> {
  if (response.destroyed) return;
  answer.headers.delete('connection');
  const gone = Promise.withResolvers<void>();
  response.once('close', gone.resolve);
  await Promise.race([sendNodeResponse(response, answer), gone.promise]);
}

function refuseAtOnce(response: ServerResponse, status: number, error: string, reason?: ErrorReason): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Tus-Resumable': TUS_VERSION,
    'Tus-Version': TUS_VERSION,
    ...(status === 503 ? { 'Retry-After': RETRY_AFTER } : {}),
    ...(reason && { 'Error-Code': reason }),
  });
  response.end(JSON.stringify({ error }));
}

/**
 * Returns the error sentence for a length that differs from the declared length or is below the offset. Declaring the
 * same length again is not an error, because the last PATCH of a client may have been cut.
 */
async function lengthFault(
  { uploads }: Pick<Context, 'uploads'>,
  request: IncomingMessage,
): Promise<string | undefined> {
  const length = request.headers['upload-length'];
  if (request.method !== 'PATCH' || length === undefined) return undefined;
  const id = uploadNamed(request);
  const upload = isUuid(id) ? await uploads.find(keyOf(id)) : undefined;
  if (upload?.linkId !== request.headers['x-link-id'] || upload === undefined) return undefined;
  if (upload.length === undefined)
    return Number(length) < upload.offset
      ? `Upload-Length must be at least ${upload.offset}: so many bytes are here already.`
      : undefined;
  if (String(upload.length) !== length)
    return `Upload-Length was declared already, as ${upload.length}, and cannot be changed.`;
  setHeader(request, 'upload-length', undefined);
  return undefined;
}

async function asJson(answer: Response): Promise<Response> {
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  headers.set('content-type', 'application/json; charset=utf-8');
  if (answer.status === 503) headers.set('retry-after', RETRY_AFTER);
  // The library reports invalid headers by itself, in plain text.
  const fault: Fault = text.startsWith('{"')
    ? JSON.parse(text)
    : { error: headersSentence(text.trim()) || 'The upload was refused.' };
  if (fault.reason !== undefined) headers.set('error-code', fault.reason);
  return new Response(JSON.stringify({ error: fault.error }), { status: answer.status, headers });
}
