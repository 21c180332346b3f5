import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import type { FastifyReplyFromHooks } from '@fastify/reply-from';
import { recipientUrl, thankYouUrl } from '@recording-request/contract/addresses';
import { isErrorReason } from '@recording-request/contract/error-codes';
import { DomainError } from '@recording-request/kit/errors';
import { createFairSlots, type FairSlots } from '@recording-request/kit/fair-slots';
import { uuidv7 } from '@recording-request/kit/ids';
import { internalConnect } from '@recording-request/kit-rpc/internal/http';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { callerNetwork } from '../domain/caller-network.ts';
import { recipient } from '../plugins/access-kinds.ts';
import { recipientOf } from '../plugins/caller.ts';
import { RETRY_AFTER_SECONDS } from '../plugins/errors.ts';
import { noteSubjectOf } from '../plugins/request-log.ts';
import { endShortBody, endWith503 } from '../plugins/short-body.ts';

const PREFIX = '/r/:token/uploads';
/**
 * The client's headers that the service gets: the headers of tus 1.0. Only the gateway sets the headers that identify
 * the contributor.
 */
const REQUEST_HEADERS =
  /^(?:host|content-type|content-length|tus-resumable|upload-(?:offset|length|defer-length|metadata|concat|checksum))$/;
const ANSWER_HEADERS = /^(?:content-type|content-length|error-code|location|retry-after|tus-[a-z-]+|upload-[a-z-]+)$/;
// An id is always one segment of the service's path.
const UPLOAD_ID = /^[\w-]+$/;
// Far more than needed: the service's responses that this gateway reads itself have a few hundred bytes.
const READ_BYTES = 65_536;
const KEPT_MS = 1_000;
const LOST_RETRIES = 3;
const LOST_RETRY_MS = 50;
const NOT_TAKEN = 'Uploads cannot be taken right now; try again in a moment.';

type Upstream = { statusCode: number; headers: IncomingHttpHeaders; stream: Readable };
type Headers = Record<string, string | string[] | undefined>;

/**
 * Streams the contributors' tus uploads to the submissions service. Does not limit their size or total time. Idle
 * connections end, and owners share the number of concurrent uploads.
 */
export async function uploadRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { config, baseUrl, internal } = context;
  const connect = internalConnect(internal, 'submissions');
  await app.register(async scope => {
    // Passes bytes on without parsing them.
    scope.removeAllContentTypeParsers();
    boundUploads(scope, config);
    const proxied = (route: string, httpMethods: string[]): FastifyHttpProxyOptions => ({
      upstream: config.submissionsHttp,
      prefix: PREFIX,
      rewritePrefix: '/uploads',
      routes: [route],
      httpMethods,
      config: { ...recipient('upload'), streamsBody: true },
      disableRequestLogging: true,
      // undici's own timeouts also run while a body is being sent, and would cut a long upload.
      undici: {
        connections: config.uploadsAtOnce,
        headersTimeout: 0,
        bodyTimeout: 0,
        connectTimeout: 5_000,
        // Shorter than the time for which a stopping service keeps idle connections open.
        keepAliveTimeout: KEPT_MS,
        keepAliveMaxTimeout: KEPT_MS,
        ...(connect && { connect }),
      },
      replyOptions: {
        retryDelay: againAfter,
        rewriteRequestHeaders: (request, headers) =>
          requestHeadersToService(request as FastifyRequest, headers as Headers, baseUrl),
        rewriteHeaders: (headers, request) =>
          responseHeadersToClient(headers as Headers, tokenOf(request as FastifyRequest), baseUrl),
        onResponse: (request, reply, response) =>
          void pass(
            request as FastifyRequest,
            reply as unknown as FastifyReply,
            response as unknown as Upstream,
            baseUrl,
          ),
        onError: reply => endWith503(reply as unknown as FastifyReply, NOT_TAKEN),
      },
    });
    await scope.register(httpProxy, proxied('/', ['POST', 'OPTIONS']));
    await scope.register(httpProxy, proxied('/:uploadId', ['PATCH', 'HEAD', 'DELETE', 'OPTIONS']));
  });
}

/**
 * Retries a HEAD that got no response, perhaps at another replica. Does not retry bytes, because their client resumes.
 */
const againAfter: NonNullable<FastifyReplyFromHooks['retryDelay']> = ({ req, res, err, attempt, getDefaultDelay }) => {
  const isLost = (req as { method?: string }).method === 'HEAD' && err && !res;
  if (isLost) return attempt < LOST_RETRIES ? LOST_RETRY_MS * 2 ** attempt : null;
  return getDefaultDelay(req, res, err, attempt);
};

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token;

function boundUploads(scope: FastifyInstance, { uploadsAtOnce, uploadStallMs }: Context['config']): void {
  const slots = createFairSlots(uploadsAtOnce);
  const endReport = reportSlots('upload', uploadsAtOnce, slots.used);
  scope.addHook('onClose', async () => endReport());
  scope.addHook('preParsing', async (request, reply) => {
    const { uploadId } = request.params as { uploadId?: string };
    if (uploadId !== undefined && !UPLOAD_ID.test(uploadId)) {
      throw new DomainError('not_found', 'There is no such upload.');
    }
    // The client disconnected during the look-up of its token: no later event would release the slot.
    if (reply.raw.destroyed || request.raw.socket.destroyed)
      throw new DomainError('cancelled', 'The client went away.');
    const slot = slotOf(request, slots);
    if (!slot) {
      noteShed('upload');
      reply.header('connection', 'close').header('retry-after', String(RETRY_AFTER_SECONDS));
      throw new DomainError('unavailable', 'Too many uploads are running; try again in a moment.');
    }
    const watch = endStalled(request, reply, uploadStallMs);
    reply.raw.once('close', () => {
      slot[Symbol.dispose]();
      clearInterval(watch);
    });
  });
}

/** No owner, link or address can take all slots, even if an address uses the links of several owners. */
function slotOf(request: FastifyRequest, slots: FairSlots): Disposable | undefined {
  const { ownerId, projectId, linkId } = recipientOf(request);
  const address = callerNetwork(request.ip);
  return slots.tryTake(
    [`owner ${ownerId}`, `link ${linkId}`, address],
    [`address ${address}`, `owner ${ownerId}`, projectId],
  );
}

/** Ends a request that makes no progress and gets no response; its client resumes later. */
function endStalled(request: FastifyRequest, reply: FastifyReply, stallMs: number): NodeJS.Timeout {
  // Reads the socket now, because Node removes it from the request after the response.
  const { socket } = request.raw;
  let progress = { bytes: -1, at: Date.now() };
  const look = () => {
    const { bytesRead } = socket;
    if (bytesRead !== progress.bytes) progress = { bytes: bytesRead, at: Date.now() };
    else if (Date.now() - progress.at < stallMs) return;
    // If the gateway holds unread bytes, the service is at fault: the client has sent bytes, but the service has not
    // read them.
    else if (request.raw.complete || request.raw.readableLength > 0) endWith503(reply, NOT_TAKEN);
    else endShortBody(request, reply);
  };
  return setInterval(look, stallMs / 10).unref();
}

function requestHeadersToService(request: FastifyRequest, headers: Headers, baseUrl: string): Headers {
  const from = recipientOf(request);
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => REQUEST_HEADERS.test(name)));
  return {
    ...passed,
    ...(request.method === 'POST' && namedUpload(request, baseUrl)),
    ...{ 'x-link-id': from.linkId, 'x-project-id': from.projectId, 'x-owner-id': from.ownerId },
  };
}

/** Chooses the id of an upload before its creation, so that the gateway knows its Location even without a response. */
function namedUpload(request: FastifyRequest, baseUrl: string): Headers {
  const id = uuidv7();
  noteSubjectOf(request, { uploadId: id });
  request.uploadLocation = locationOf(id, tokenOf(request), baseUrl);
  return { 'x-upload-id': id };
}

const locationOf = (id: string, token: string, baseUrl: string) =>
  `${new URL(recipientUrl(baseUrl, token)).pathname}/uploads/${id}`;

/** Removes the service's address, because a Location must be relative to this host. */
function responseHeadersToClient(headers: Headers, token: string, baseUrl: string): Headers {
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => ANSWER_HEADERS.test(name)));
  if (!isErrorReason(String(passed['error-code']))) delete passed['error-code'];
  if (typeof passed.location === 'string') {
    const id = passed.location.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).at(-1) ?? '';
    passed.location = locationOf(id, token, baseUrl);
  }
  return passed;
}

/**
 * Sends the service's answer. An error becomes `{error}`. The answer to a last byte gets the thank-you address, which
 * only the gateway knows.
 */
async function pass(request: FastifyRequest, reply: FastifyReply, response: Upstream, baseUrl: string): Promise<void> {
  if (reply.sent) return void response.stream.destroy();
  const failed = response.statusCode >= 400;
  const json = /^application\/json\b/.test(response.headers['content-type'] ?? '');
  if (request.method === 'HEAD' || (!failed && !json)) return void reply.send(response.stream);
  try {
    const text = await read(response.stream);
    reply.removeHeader('content-length').type('application/json; charset=utf-8');
    reply.send(JSON.stringify(failed ? { error: sentenceOf(text, response.statusCode) } : withThankYou(text)));
  } catch (error) {
    request.failure = { err: error };
    endWith503(reply, NOT_TAKEN);
  }

  function withThankYou(text: string): Record<string, unknown> {
    const landed = JSON.parse(text) as Record<string, unknown>;
    if (!('submissionId' in landed)) return landed;
    noteSubjectOf(request, landed);
    const last = landed.complete === true && typeof landed.questionIndex === 'number';
    return { ...landed, thankYouUrl: last ? thankYouUrl(baseUrl, tokenOf(request)) : null };
  }
}

function sentenceOf(text: string, status: number): string {
  if (status >= 500) return 'The upload could not be taken right now; try again in a moment.';
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Not JSON: the tus library sends its own errors as plain text.
  }
  return text.trim() || 'The upload could not be taken.';
}

async function read(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > READ_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
