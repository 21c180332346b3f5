import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline } from 'node:stream';
import { DomainError } from '@recording-request/kit/errors';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { holderOf } from './caller.ts';
import { HttpError } from './errors.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
/** The longest body of an import of people. Ten thousand people do not fit in the limit of other bodies. */
export const PEOPLE_BYTES = 8 * 1024 ** 2;
// Smaller bodies are never refused for lack of memory, because the limit of connections also limits their total size.
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;
// The limits for reading a refused body, in bytes and in milliseconds.
const UNWANTED_BYTES = 16 * 1024 ** 2;
const UNWANTED_MS = 2_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only JSON bodies; `acceptCsv` and `acceptBytes` accept other kinds. */
export function installBodies(app: FastifyInstance, { config }: Pick<Context, 'config'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoding(request);
    const charset = charsetOf(request) ?? 'utf-8';
    if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw new HttpError(415, 'Send the body in UTF-8.');
    if (body.length === 0) return undefined;
    try {
      return JSON.parse(utf8.decode(body));
    } catch {
      throw new DomainError('invalid', 'The body is not valid JSON.');
    }
  });

  // If the server closes a connection with unread bytes, TCP resets it, and the client may lose the HTTP response. So
  // read the body first.
  app.addHook('onSend', async (request, reply) => {
    const { raw, routeOptions } = request;
    if (reply.getHeader('connection') !== 'close' || raw.complete || routeOptions.config.streamsBody) return;
    await readUnwanted(raw);
  });

  const memory = createFairBudget(config.bodyMemoryBytes);
  /** Reserves memory for a whole body before reading it. The memory stays reserved until the request is answered. */
  function hold(request: FastifyRequest, reply: FastifyReply): void {
    const bytes = declaredBytes(request);
    // Fastify refuses a body above the body limit, so this hook reserves no memory for it.
    if (bytes <= SMALL_BYTES || bytes > request.routeOptions.bodyLimit) return;
    // The connection is already closed: no later event would release the memory.
    if (reply.raw.destroyed) throw new DomainError('cancelled', 'The client went away.');
    const own = memory.of(holderOf(request));
    if (!own.take(bytes)) {
      noteShed('busy');
      const sentence = 'Too many large bodies are being received; wait for their answers, and try again in a moment.';
      throw new DomainError('unavailable', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
    }
    reply.raw.once('close', () => own.giveBack(bytes));
  }

  // Slow senders must not hold connections open: a client that sends one byte a minute defeats an idle timeout.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.config.streamsBody || request.raw.complete) return done();
    try {
      hold(request, reply);
    } catch (error) {
      // The rest of the body is not read.
      reply.header('connection', 'close');
      return done(error as Error);
    }
    const body = pipeline(payload, new PassThrough(), () => clearTimeout(timer));
    const timer = setTimeout(() => {
      reply.header('connection', 'close');
      body.destroy(new HttpError(408, 'The body took too long to arrive.'));
    }, config.bodyTimeoutMs);
    done(null, body);
  });
}

/** Reads the rest of a body and discards it, within limits. */
async function readUnwanted(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = UNWANTED_BYTES;
  const look = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) resolve();
  };
  const timer = setTimeout(resolve, UNWANTED_MS);
  body.unpipe();
  body.on('data', look);
  for (const event of ['end', 'close']) body.once(event, resolve);
  body.resume();
  await promise;
  clearTimeout(timer);
  body.off('data', look);
}

/** Accepts CSV files too, as bytes, in the routes of `app`. */
export function acceptCsv(app: FastifyInstance): void {
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoding(request);
    return body;
  });
}

/** Accepts bodies of every type as bytes, and no JSON, in the routes of `app`. */
export function acceptBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoding(request);
    return body;
  });
}

function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw new HttpError(415, 'Send the body without a Content-Encoding.');
}

/** Returns the charset that a request declares for its body. */
export const charsetOf = ({ headers }: FastifyRequest): string | undefined =>
  CHARSET.exec(headers['content-type'] ?? '')?.[1];

/** Returns the declared length. A body without a declared length may have as many bytes as its route accepts. */
function declaredBytes({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined) return Number(length);
  return encoding === undefined ? 0 : routeOptions.bodyLimit;
}
