import { PassThrough, pipeline } from 'node:stream';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { HttpError } from './errors.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON is the only body that is read. */
export function installBodies(app: FastifyInstance, { config }: Pick<Context, 'config'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const encoding = request.headers['content-encoding'];
    if (encoding && encoding !== 'identity') throw new HttpError(415, 'Send the body without a Content-Encoding.');
    const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
    if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw new HttpError(415, 'Send the body in UTF-8.');
    if (body.length === 0) return undefined;
    try {
      return JSON.parse(utf8.decode(body));
    } catch {
      throw new DomainError('invalid', 'The body is not valid JSON.');
    }
  });

  // Slow senders must not hold connections open: an idle time-out alone is beaten by a byte a minute.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.config.streamsBody || request.raw.complete) return done();
    const body = pipeline(payload, new PassThrough(), () => clearTimeout(timer));
    const timer = setTimeout(() => {
      reply.header('connection', 'close');
      body.destroy(new HttpError(408, 'The body took too long to arrive.'));
    }, config.bodyTimeoutMs);
    done(null, body);
  });
}
