import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { DomainError } from '@recording-request/kit/errors';
import type { ByteRange } from '../domain/byte-range.ts';

const FIRST_BYTE_MS = 10_000;
const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

/**
 * Opens a presigned object as a stream of exactly `length` bytes. Returns undefined when the object is
 * not there any more or has another size, and fails with `unavailable` otherwise; the store's own messages and headers
 * stay inside. Once it flows, its pace is the client's: only the client's connection has an idle time-out.
 */
export function openObject(
  url: string,
  options: { range?: ByteRange; length: number; signal: AbortSignal },
): Promise<IncomingMessage | undefined> {
  const target = new URL(url);
  const secure = target.protocol === 'https:';
  const { range, length, signal } = options;
  const headers = range ? { range: `bytes=${range.start}-${range.end}` } : {};
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).get(target, {
      agent: agents[secure ? 'https:' : 'http:'],
      headers,
      signal,
    });
    const timer = setTimeout(() => request.destroy(new Error('the object store did not answer')), FIRST_BYTE_MS);
    request.once('error', error => {
      clearTimeout(timer);
      reject(
        signal.aborted
          ? new DomainError('cancelled', 'The client went away.')
          : new DomainError('unavailable', 'The media could not be read; try again in a moment.', { cause: error }),
      );
    });
    request.once('response', response => {
      clearTimeout(timer);
      const { statusCode } = response;
      const fits = statusCode === (range ? 206 : 200) && Number(response.headers['content-length']) === length;
      if (fits) return resolve(response);
      // A body that nobody wants must not keep the connection.
      response.destroy();
      if (statusCode === 200 || statusCode === 206 || statusCode === 404 || statusCode === 416)
        return resolve(undefined);
      const cause = new Error(`the object store answered ${statusCode}`);
      reject(new DomainError('unavailable', 'The media could not be read; try again in a moment.', { cause }));
    });
  });
}
