import type { IncomingMessage } from 'node:http';

const UPLOAD = /^\/r\/[^/?#]+\/uploads\/[^/?#]/;
const NAMED = new Set(['PATCH', 'DELETE']);

/**
 * Replaces the method of a POST to an upload by its X-HTTP-Method-Override, which tus 1.0 defines for clients that
 * cannot send PATCH or DELETE. Returns the request's address. Runs before routing.
 */
export function overrideMethod(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): string {
  const { headers, method, url = '' } = request;
  const named = String(headers['x-http-method-override'] ?? '').toUpperCase();
  if (method === 'POST' && NAMED.has(named) && UPLOAD.test(url)) request.method = named;
  return url;
}
