import type { RenderedDocument } from '@recording-request/web-shared/document';
import type { FastifyReply } from 'fastify';

/** Answers with a page. */
export const sendDocument = (reply: FastifyReply, status: number, { headers, html }: RenderedDocument): FastifyReply =>
  reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html);
