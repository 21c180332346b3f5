import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LANES = 8;
// What one connection has under way: enough that neither side waits for the other.
const PIPELINE = 64;
const STATUS = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g;

/** One request without a body. */
export interface Knock {
  path: string;
  headers?: Record<string, string>;
}

/** Sends GET requests as fast as they are answered, pipelined on a few connections; how many answers had each status. */
export async function flood(baseUrl: string, knocks: readonly Knock[]): Promise<Record<string, number>> {
  const { hostname, port } = new URL(baseUrl);
  const tally: Record<string, number> = {};
  const lane = async (own: readonly Knock[]) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    try {
      for (let at = 0; at < own.length; at += PIPELINE) await exchange(socket, own.slice(at, at + PIPELINE), tally);
    } finally {
      socket.destroy();
    }
  };
  const share = Math.ceil(knocks.length / LANES);
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(knocks.slice(n * share, (n + 1) * share))));
  return tally;
}

async function exchange(socket: Socket, batch: readonly Knock[], tally: Record<string, number>): Promise<void> {
  let text = '';
  let seen = 0;
  const done = new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      seen += text.match(STATUS)?.length ?? 0;
      for (const [, status] of text.matchAll(STATUS)) tally[status!] = (tally[status!] ?? 0) + 1;
      // A status line that was cut stays for the next chunk.
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
