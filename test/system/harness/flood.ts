import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LANES = 8;
// The number of requests in flight on one connection: enough that neither side waits for the other.
const PIPELINE = 64;
const STATUS = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g;

/** A GET request. */
export interface FloodRequest {
  path: string;
  headers?: Record<string, string>;
}

/** Sends GET requests as fast as they are answered, pipelined on a few connections. Returns the number of answers by status. */
export async function flood(baseUrl: string, requests: readonly FloodRequest[]): Promise<Record<string, number>> {
  const { hostname, port } = new URL(baseUrl);
  const tally: Record<string, number> = {};
  const lane = async (own: readonly FloodRequest[]) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    try {
      for (let at = 0; at < own.length; at += PIPELINE) await exchange(socket, own.slice(at, at + PIPELINE), tally);
    } finally {
      socket.destroy();
    }
  };
  const share = Math.ceil(requests.length / LANES);
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(requests.slice(n * share, (n + 1) * share))));
  return tally;
}

async function exchange(socket: Socket, batch: readonly FloodRequest[], tally: Record<string, number>): Promise<void> {
  let text = '';
  let seen = 0;
  const done = new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      seen += text.match(STATUS)?.length ?? 0;
      for (const [, status] of text.matchAll(STATUS)) tally[status!] = (tally[status!] ?? 0) + 1;
      // Keeps an incomplete status line for the next chunk.
      text = text.slice(text.lastIndexOf('\n') + 1);
      if (seen < batch.length) return;
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection ended after ${seen} of ${batch.length} answers`)));
  });
  const lines = batch.map(({ path, headers = {} }) => {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${path} HTTP/1.1\r\nhost: gateway\r\n${fields.join('')}\r\n`;
  });
  socket.write(lines.join(''));
  await done;
  socket
    .removeAllListeners('error')
    .removeAllListeners('close')
    .on('error', () => {});
}
