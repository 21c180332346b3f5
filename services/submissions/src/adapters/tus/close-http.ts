import type { Server } from 'node:http';

const DRAIN_MS = 5_000;

/**
 * Closes a server in order: it takes no new connection, and each open one ends with its next answer, so that a client
 * that keeps connections goes to another replica instead of being cut. A request that is not answered after `drainMs`
 * milliseconds is cut: a recording can go on for minutes, and its client resumes.
 */
export async function closeHttp(server: Server, drainMs = DRAIN_MS): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
