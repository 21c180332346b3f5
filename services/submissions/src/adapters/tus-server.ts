import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { asDomainError, DomainError, httpStatusOf } from '@recording-request/kit/errors';
import { isUuid, uuidv7 } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import { ERRORS, type Locker, type ServerOptions, Server as TusServer, type Upload as TusUpload } from '@tus/server';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import type { Upload } from '../domain/upload.ts';
import { asTusError, isTusError, type PartStore } from './tus-store.ts';

/** Who a request comes from, as the gateway found out by the recording link. */
export interface Caller {
  linkId: string;
  projectId: string;
  ownerId: string;
}

/** The answer to the request that brought the last byte. */
export interface Landing {
  status: number;
  body: object;
}

export interface TusServerOptions {
  store: PartStore;
  locker: Locker;
  maxBytes: number;
  idleMs: number;
  log: Logger;
  find(id: string): Promise<Upload | undefined>;
  /** Decides whether an upload may be created, and with what. */
  admit(caller: Caller, id: string, metadata: Record<string, string | null> | undefined): Promise<Upload>;
  /** Every byte is there: makes the upload land, or says that it goes on. */
  finish(id: string): Promise<Landing>;
}

const TUS_VERSION = '1.0.0';
export const UPLOADS_PATH = '/uploads';
// A PATCH that waits for the writer's lease lets the holder flush for this long.
const LOCK_DRAIN_MS = 250;
const HEADERS_MS = 30_000;

/** The internal HTTP endpoint that takes the bytes; only the gateway calls it. */
export function createTusServer(options: TusServerOptions): HttpServer {
  const tus = new TusServer(tusOptions(options));
  const server = createServer((request, response) => {
    handle(tus, options, request, response).catch(error => {
      options.log.warn({ err: error }, 'A request of the upload interface broke off');
      response.destroy();
    });
  });
  // A recording's bytes may take as long as the recording: only silence ends a request.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_MS;
  server.timeout = options.idleMs;
  server.keepAliveTimeout = 65_000;
  return server;
}

async function handle(
  tus: TusServer,
  options: TusServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url === '/healthz') return void response.end('ok');
  if (request.method !== 'OPTIONS' && request.headers['tus-resumable'] !== TUS_VERSION)
    return refuseAtOnce(response, 412, `Send the header Tus-Resumable: ${TUS_VERSION}.`);
  const fault = headerFault(request) ?? (await lengthFault(options, request));
  if (fault !== undefined) return refuseAtOnce(response, 400, fault);
  const answer = await tus.handleWeb(new NodeRequest({ req: request, res: response }) as never);
  await sendNodeResponse(response, answer.status >= 400 ? await asJson(answer) : answer);
}

/** Its body is not read: the next request on this connection would hang behind it. */
function refuseAtOnce(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Tus-Resumable': TUS_VERSION,
    'Tus-Version': TUS_VERSION,
    Connection: 'close',
  });
  response.end(JSON.stringify({ error }));
}

/** What the library would answer with 403 and 501. */
function headerFault({ method, headers }: IncomingMessage): string | undefined {
  if (headers['upload-concat'] !== undefined) return 'Send the take as one upload: Upload-Concat is not taken here.';
  if (method === 'PATCH' && headers['upload-offset'] === undefined)
    return 'Send the header Upload-Offset: how many bytes are here already, as HEAD tells.';
  return undefined;
}

/**
 * A client whose last PATCH was cut declares the same length once more: that is no fault. Another length than the one
 * declared, and one below what is there, get a sentence of their own.
 */
async function lengthFault(options: TusServerOptions, request: IncomingMessage): Promise<string | undefined> {
  const length = request.headers['upload-length'];
  if (request.method !== 'PATCH' || length === undefined) return undefined;
  const id = request.url?.split('?')[0]?.split('/').at(-1) ?? '';
  const upload = isUuid(id) ? await options.find(id) : undefined;
  if (upload?.linkId !== request.headers['x-link-id'] || upload === undefined) return undefined;
  if (upload.length === undefined)
    return Number(length) < upload.offset
      ? `Upload-Length must be at least ${upload.offset}: so many bytes are here already.`
      : undefined;
  if (String(upload.length) !== length)
    return `Upload-Length was declared already, as ${upload.length}, and cannot be changed.`;
  delete request.headers['upload-length'];
  const at = request.rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'upload-length');
  if (at >= 0) request.rawHeaders.splice(at, 2);
  return undefined;
}

async function asJson(answer: Response): Promise<Response> {
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  headers.set('content-type', 'application/json; charset=utf-8');
  if (answer.status === 503) headers.set('retry-after', '5');
  const body = text.startsWith('{"') ? text : JSON.stringify({ error: text.trim() || 'The upload was refused.' });
  return new Response(body, { status: answer.status, headers });
}

function tusOptions(options: TusServerOptions): ServerOptions & { datastore: PartStore } {
  const { store, locker, log } = options;
  return {
    path: UPLOADS_PATH,
    datastore: store,
    locker,
    lockDrainTimeout: LOCK_DRAIN_MS,
    maxSize: options.maxBytes,
    relativeLocation: true,
    namingFunction: () => uuidv7(),
    async onIncomingRequest(request, id) {
      if (request.method === 'POST') return;
      const upload = isUuid(id) ? await options.find(id) : undefined;
      const caller = callerOf(request.headers);
      if (!upload || upload.linkId !== caller.linkId || upload.state === 'deleted') throw ERRORS.FILE_NOT_FOUND;
      if (upload.state === 'refused' && request.method !== 'DELETE')
        throw asTusError(upload.superseded ? 410 : 422, upload.error ?? 'This take was refused.');
      // A crash may have come between the last byte and the landing: whoever looks at the upload drives it on.
      if (request.method === 'HEAD' && upload.offset === upload.length) options.finish(id).catch(() => {});
    },
    async onUploadCreate(request, upload: TusUpload) {
      const record = await options.admit(callerOf(request.headers), upload.id, upload.metadata).catch(refuse);
      store.admitted.set(upload, record);
      return {};
    },
    async onUploadFinish(request, upload) {
      const { status, body } = await options.finish(upload.id).catch(refuse);
      // The library names the place of what was created with a 201 only, and clients ask for it with any answer.
      const place = request.method === 'POST' && { Location: `${UPLOADS_PATH}/${upload.id}` };
      const headers: Record<string, string> = { 'Content-Type': 'application/json', ...place };
      return { status_code: status, body: JSON.stringify(body), headers };
    },
    onResponseError(_request, error) {
      if (isTusError(error)) return { status_code: error.status_code, body: error.body };
      const domain = asDomainError(error);
      if (domain.code === 'internal') log.error({ err: domain.cause }, 'An upload request failed');
      return asTusError(domain.code === 'internal' ? 503 : httpStatusOf(domain.code), domain.message);
    },
  };
}

function callerOf(headers: Headers): Caller {
  const [linkId, projectId, ownerId] = ['x-link-id', 'x-project-id', 'x-owner-id'].map(name => headers.get(name) ?? '');
  if (!linkId || !projectId || !ownerId) throw asTusError(404, 'This recording link does not exist.');
  return { linkId, projectId, ownerId };
}

// Handlers of the protocol look at an error's status_code.
function refuse(error: unknown): never {
  if (error instanceof DomainError && error.code !== 'internal')
    throw asTusError(httpStatusOf(error.code), error.message);
  throw error;
}
