import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

// The TCP tables of this process's network, including connections that no longer belong to a process.
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const LISTENS = '0A';
const LOOK_MS = 50;

/**
 * Resolves when clients have acknowledged all bytes that this process wrote to connections of `port`, or after
 * `limitMs`; at once on a system without /proc. The kernel keeps unsent bytes after a connection or its process ends,
 * but not after a pod's network ends. So without this wait, a slow client would never get the end of a completely
 * written response.
 */
export async function untilSent(port: number, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await unsentBytes(port)) > 0 && performance.now() < until) await delay(LOOK_MS);
}

/**
 * Returns the number of bytes that were written to connections of `port` and that their clients have not acknowledged.
 */
export async function unsentBytes(port: number): Promise<number> {
  const tables = await Promise.all(TABLES.map(table => readFile(table, 'latin1').catch(() => '')));
  return tables.reduce((sum, table) => sum + unsentIn(table, port), 0);
}

/** Each line is `sl local:port remote:port state unsent:unread …`, in hexadecimal. */
function unsentIn(table: string, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let sum = 0;
  for (const line of table.split('\n').slice(1)) {
    const [, address, , state, queues] = line.trim().split(/\s+/);
    if (address?.endsWith(local) && state !== LISTENS) sum += Number.parseInt(queues!, 16);
  }
  return sum;
}
