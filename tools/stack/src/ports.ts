import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below Linux's range for outgoing connections: a port from there could be taken by somebody's client
// while a service that restarts is away from it.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const handedOut = new Set<number>();

/** A port of 127.0.0.1 that nobody listens on and that was not handed out before by this process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${LOWEST} and ${HIGHEST}.`);
}

/** The first free port from `port` on, of the hundred that follow. */
export async function nextFreePort(port: number): Promise<number> {
  for (let next = port; next < port + 100 && next < 65_536; next++) if (await isFree(next)) return next;
  throw new Error(`Ports ${port} to ${port + 99} are all taken.`);
}

/** Whether `port` of 127.0.0.1 can be listened on now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
