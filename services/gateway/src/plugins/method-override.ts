import type { IncomingMessage } from 'node:http';

const UPLOAD = /^\/r\/[^/?#]+\/uploads\/[^/?#]/;
const NAMED = new Set(['PATCH', 'DELETE']);

/**
 * Gives a POST to an upload the method that its X-HTTP-Method-Override names, as tus 1.0 has it for clients that can send
 * neither PATCH nor DELETE. Returns the request's address; called before its route is looked for.
 */
export function overrideMethod(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): string {
  const { headers, method, url = '' } = request;
  const named = String(headers['x-http-method-override'] ?? '').toUpperCase();
  if (method === 'POST' && NAMED.has(named) && UPLOAD.test(url)) request.method = named;
  return url;
}
