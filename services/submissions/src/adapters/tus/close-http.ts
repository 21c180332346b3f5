import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

// More than the gateway keeps a connection that it does not use.
const IDLE_MS = 1_500;

/**
 * Closes a server in order: it takes no new connection, and each open one ends with its next answer, so that a client
 * that keeps connections goes to another replica instead of being cut. One that is idle may have a request on its way: it
 * stays for as long as its client may keep it. A request that is not answered after `drainMs` milliseconds is cut: a
 * recording can go on for minutes, and its client resumes.
 */
export async function closeHttp(server: Server, drainMs: number): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const closed = once(server, 'close');
  // That of HTTP would end idle connections at once.
  NetServer.prototype.close.call(server);
  const timers = [
    setTimeout(() => server.closeIdleConnections(), IDLE_MS),
    setTimeout(() => server.closeAllConnections(), drainMs),
  ];
  await closed;
  for (const timer of timers) clearTimeout(timer);
  // Ends what HTTP itself does at intervals; that it is closed already is the error that comes.
  server.close(() => {});
}
