import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

// Longer than the time for which the gateway keeps an idle connection.
const IDLE_MS = 1_500;

/**
 * Drains a server, then closes it. From now on each response closes its connection, so that the client moves to another
 * replica. The server still listens and keeps idle connections for IDLE_MS, because a request may be on its way. Cuts a
 * request that has no response after `drainMs` milliseconds: a recording can take minutes, and its client resumes.
 */
export async function closeHttp(server: Server, drainMs: number): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const idleMs = Math.min(IDLE_MS, drainMs);
  await wait(idleMs);
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs - idleMs);
  await closed;
  clearTimeout(timer);
}
