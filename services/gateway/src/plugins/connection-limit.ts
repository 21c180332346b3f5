import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { Config } from '../config.ts';
import { callerNetwork } from '../domain/caller-network.ts';

/**
 * Closes each connection of an address beyond CONNECTIONS_PER_ADDRESS. A connection that sends nothing, or half a head,
 * costs up to 30 kB until its timeout. The connections of a trusted proxy have no limit, because the proxy must limit its
 * clients.
 */
export function limitConnections(
  server: Server,
  { connectionsPerAddress, trustedProxies }: Pick<Config, 'connectionsPerAddress' | 'trustedProxies'>,
): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (trustedProxies.trusts(remoteAddress, 0)) return;
    const address = callerNetwork(remoteAddress);
    const count = open.get(address) ?? 0;
    if (count >= connectionsPerAddress) {
      noteShed('connection');
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
