import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The time before each answer. */
const ANSWER_MS = 300;

export interface SlowServer extends AsyncDisposable {
  url: string;
}

/** Starts an HTTP server with a fixed response time and almost no CPU use, so that all other time is the product's. */
export async function startSlowServer(
  answer: { status: number; json?: string },
  onRequest: (headers: IncomingHttpHeaders) => void = () => {},
): Promise<SlowServer> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      onRequest(request.headers);
      setTimeout(
        () => response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.json),
        ANSWER_MS,
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
