/** The parts of a response head that a reader of bytes needs. */
export interface ResponseHead {
  status: number;
  /** Undefined when the response does not declare its length. */
  contentLength: number | undefined;
  /** True if the connection can carry another request after this response. */
  keepsAlive: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const LENGTH = /^\d{1,15}$/;

/**
 * Parses the head of an HTTP/1 response: `text` is everything before the empty line. Returns undefined when `text` is
 * not such a head.
 */
export function parseResponseHead(text: string): ResponseHead | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
  if (status === undefined) return undefined;
  let contentLength: number | undefined;
  let keepsAlive = minor === '1';
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'content-length') {
      // With two different lengths, nobody knows where the response ends.
      if (!LENGTH.test(value) || (contentLength !== undefined && contentLength !== Number(value))) return undefined;
      contentLength = Number(value);
    } else if (name === 'connection') {
      const options = value.toLowerCase().split(/\s*,\s*/);
      if (options.includes('close')) keepsAlive = false;
      else if (options.includes('keep-alive')) keepsAlive = true;
    } else if (name === 'transfer-encoding') {
      // Content-Length has no meaning in a chunked response.
      return { status: Number(status), contentLength: undefined, keepsAlive: false };
    }
  }
  return { status: Number(status), contentLength, keepsAlive };
}
