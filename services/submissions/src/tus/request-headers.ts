import type { IncomingMessage } from 'node:http';

const BYTES_TYPE = 'application/offset+octet-stream';

type Headed = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** Changes a header in both forms in which the library reads it; undefined removes the header. */
export function setHeader({ headers, rawHeaders }: Headed, name: string, value: string | undefined): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]!.toLowerCase() === name) rawHeaders.splice(at, 2);
  delete headers[name];
  if (value === undefined) return;
  headers[name] = value;
  rawHeaders.push(name, value);
}

/**
 * Rewrites valid variants of headers into the form that the library accepts: spaces between metadata pairs, the media
 * type of the bytes, and lengths that JavaScript cannot represent exactly. Such a length is too large in any case.
 */
export function toStrictHeaders(request: Headed): void {
  const { 'upload-metadata': metadata, 'content-type': type, 'upload-length': length } = request.headers;
  if (typeof metadata === 'string') {
    const pairs = metadata.split(',').map(pair => pair.trim());
    setHeader(request, 'upload-metadata', pairs.join(','));
  }
  if (type !== undefined && isBytesType(type)) setHeader(request, 'content-type', BYTES_TYPE);
  if (/^[1-9]\d*$/.test(String(length)) && Number(length) > Number.MAX_SAFE_INTEGER)
    setHeader(request, 'upload-length', String(Number.MAX_SAFE_INTEGER));
}

/** Ignores letter case and parameters: neither has a meaning in this media type. */
const isBytesType = (type: string): boolean => type.split(';', 1)[0]!.trim().toLowerCase() === BYTES_TYPE;

/** Returns the error sentence for requests to which the library would answer 403 or 501. */
export function headerFault({ method, headers }: Headed): string | undefined {
  if (headers['upload-concat'] !== undefined) return 'Send the take as one upload: Upload-Concat is not taken here.';
  if (method === 'PATCH' && headers['upload-offset'] === undefined)
    return 'Send the header Upload-Offset: how many bytes are here already, as HEAD tells.';
  if (method === 'PATCH' && headers['content-type'] !== BYTES_TYPE)
    return `Send the header Content-Type: ${BYTES_TYPE}.`;
  return undefined;
}
