import { request as begin, type IncomingMessage, type RequestListener } from 'node:http';

/**
 * A listener for `FaultProxy.answer` that passes HTTP requests on to the server, headers unchanged, except those that
 * `intercept` returns true for, having answered them itself.
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
    const onward = begin({ hostname, port, method, path, headers, agent: false });
    onward.on('response', answer => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  };
}
