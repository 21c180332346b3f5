import { request as begin, type IncomingMessage, type RequestListener } from 'node:http';

/**
 * Returns a listener for `FaultProxy.answer` that forwards HTTP requests with their headers unchanged. `intercept`
 * returns true for a request that it answers itself.
 */
export function forwardTo(
  origin: string,
  intercept: (request: IncomingMessage, response: Parameters<RequestListener>[1]) => boolean,
): RequestListener {
  const { hostname, port } = new URL(origin);
  return (request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    if (intercept(request, response)) return;
    const { method, url: path, headers } = request;
    const upstream = begin({ hostname, port, method, path, headers, agent: false });
    upstream.on('response', answer => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  };
}
