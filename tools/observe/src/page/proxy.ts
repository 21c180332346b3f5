import { type IncomingMessage, request, type ServerResponse } from 'node:http';

const LIMIT_MS = 30_000;

/** Forwards a request to another server of this machine, and returns its response. Returns 502 when the server does not respond in time. */
export function passOn(incoming: IncomingMessage, response: ServerResponse, target: string): void {
  const { method, headers, url = '/' } = incoming;
  const fail = () => {
    if (response.headersSent) response.destroy();
    else
      response.writeHead(502, { 'content-type': 'text/plain' }).end('The server behind this page does not respond.\n');
  };
  const to = new URL(url, target);
  const outgoing = request(
    to,
    { method, headers: { ...headers, host: to.host }, signal: AbortSignal.timeout(LIMIT_MS) },
    answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', fail).pipe(response);
    },
  );
  outgoing.on('error', fail);
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
