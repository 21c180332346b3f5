import { etagOfText } from '@recording-request/contract/etag';
import type { RenderedDocument } from '@recording-request/web-shared/document';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noneMatch } from '../domain/byte-range.ts';

/** Sends a page. */
export const sendDocument = (reply: FastifyReply, status: number, { headers, html }: RenderedDocument): FastifyReply =>
  reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html);

/** Returns the ETag that `sendUnlessSame` would send for a value. */
export const etagOf = (value: unknown): string => etagOfText(JSON.stringify(value));

/** Sends JSON with an ETag; sends 304 without a body if the client already has the same JSON. */
export function sendUnlessSame(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  return sendTextUnlessSame(request, reply, 'application/json', JSON.stringify(value));
}

/** Sends a text or its UTF-8 bytes with an ETag; sends 304 if the client already has this ETag. */
export function sendTextUnlessSame(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  text: string | Buffer,
  etag = etagOfText(text),
): FastifyReply {
  reply.header('etag', etag);
  if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(`${type}; charset=utf-8`).send(text);
}
