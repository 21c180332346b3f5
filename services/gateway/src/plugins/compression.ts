import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { encodingFor } from '@recording-request/web-shared/assets';
import type { FastifyInstance, FastifyReply } from 'fastify';

// Replaces @fastify/compress, which has three faults: it compresses everything that mime-db calls compressible,
// including application/octet-stream; it compresses streams; and it keeps a strong ETag, which would then name several
// byte strings.

/** Below this size the additional headers cost more than compression saves. */
const LEAST_BYTES = 1_024;
const TEXT = /^(?:text\/|application\/(?:json|problem\+json|x-subrip)\b)/;
/** Quality 4 takes about 0.4 ms for 60 KB; quality 11 would take 38 ms to save another tenth. */
const QUALITY = 4;

type Encoding = 'br' | 'gzip';

/** Compresses a text by an encoding that the client accepts. */
export const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/**
 * Sends HTML, JSON and other text with brotli or gzip. Never compresses streams, because videos have ranges and
 * lengths, and exports can break off. docs/decisions/0019-compression.md says why the lengths reveal no secret.
 */
export function installCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    // A weak ETag means that the answer is a text, in any encoding. Media have strong ETags and are sent unchanged.
    if (reply.statusCode === 304 && String(reply.getHeader('etag')).startsWith('W/')) varyByEncoding(reply);
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    if (!TEXT.test(String(reply.getHeader('content-type') ?? '')) || reply.hasHeader('content-encoding'))
      return payload;
    if (Buffer.byteLength(payload) < LEAST_BYTES) return payload;
    varyByEncoding(reply);
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === 'identity') return payload;
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
    reply.removeHeader('content-length');
    reply.header('content-encoding', encoding);
    return compress[encoding](typeof payload === 'string' ? Buffer.from(payload) : payload);
  });
}

export function varyByEncoding(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
}
