import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './child-process.ts';
import { isCode } from './files.ts';

// The ports are below Linux's range for outgoing connections. In that range, any client could take the port of a
// service while the service restarts.
const LOWEST = 20_000;
const HIGHEST = 32_000;
// For each port, a file with the port's name contains the id of the process that got the port. Before the server
// listens and while it restarts, only this file shows other processes that the port is in use.
const RESERVED = join(tmpdir(), `recording-request-ports-${process.getuid?.() ?? 'all'}`);
const handedOut = new Set<number>();

process.on('exit', () => {
  try {
    for (const port of handedOut) rmSync(join(RESERVED, String(port)), { force: true });
  } catch {
    // If a file remains, another process removes it once this process has ended.
  }
});

/**
 * Returns a port of 127.0.0.1, from `lowest` and below `highest`, that has no listener. Never returns a port that it
 * has returned to another process while that process still runs.
 */
export async function freePort(lowest = LOWEST, highest = HIGHEST): Promise<number> {
  for (let tries = 0; tries < 2_000; tries++) {
    const port = randomInt(lowest, highest);
    if (!reserve(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${lowest} and ${highest}.`);
}

function reserve(port: number): boolean {
  const place = join(RESERVED, String(port));
  try {
    mkdirSync(RESERVED, { recursive: true });
    writeFileSync(place, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    // Without writable files, a process knows only the ports that it got itself.
    if (!isCode(error, 'EEXIST')) return !handedOut.has(port);
    if (isLeftOver(place)) rmSync(place, { force: true });
    return false;
  }
}

/** Returns whether the process with this port was killed before it could remove its file. */
function isLeftOver(place: string): boolean {
  try {
    const holder = Number(readFileSync(place, 'utf8'));
    return holder > 0 && !isAlive(holder);
  } catch {
    return false;
  }
}

/** Returns the first free port of the hundred from `port` on. */
export async function nextFreePort(port: number): Promise<number> {
  for (let next = port; next < port + 100 && next < 65_536; next++) if (await isFree(next)) return next;
  throw new Error(`Ports ${port} to ${port + 99} are all taken.`);
}

export async function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
