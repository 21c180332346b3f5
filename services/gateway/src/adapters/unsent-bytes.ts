import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

// Of the network that this process is in, with the connections that no process has any more.
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const LISTENS = '0A';
const LOOK_MS = 50;

/**
 * Resolves once clients have acknowledged all that was written to connections of `port`, at the latest after `limitMs`, and at once on
 * a system without /proc. What the kernel has yet to send outlives a connection and its process, but not the network of a pod:
 * a client that reads slowly would never see the end of an answer that was written whole.
 */
export async function untilSent(port: number, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await unsentBytes(port)) > 0 && performance.now() < until) await delay(LOOK_MS);
}

/** Returns how many bytes written to connections of `port` their clients have not acknowledged. */
export async function unsentBytes(port: number): Promise<number> {
  const tables = await Promise.all(TABLES.map(table => readFile(table, 'latin1').catch(() => '')));
  return tables.reduce((sum, table) => sum + unsentIn(table, port), 0);
}

/** A line is `sl local:port remote:port state unsent:unread …`, in hexadecimal. */
function unsentIn(table: string, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let sum = 0;
  for (const line of table.split('\n').slice(1)) {
    const [, address, , state, queues] = line.trim().split(/\s+/);
    if (address?.endsWith(local) && state !== LISTENS) sum += Number.parseInt(queues!, 16);
  }
  return sum;
}
