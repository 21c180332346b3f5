import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Starts a name server for tests. It answers questions for A and AAAA records from `answers`, and other questions with
 * an empty answer.
 */
export async function startDnsServer(answers: (name: string, count: number) => string[]) {
  const socket = createSocket('udp4');
  const requested = new Map<string, number>();
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query);
    const count = (requested.get(name) ?? 0) + (type === A ? 1 : 0);
    requested.set(name, count);
    const all = type === A || type === AAAA ? answers(name, Math.max(count, 1)) : [];
    const addresses = all.filter(address => isIPv6(address) === (type === AAAA));
    socket.send(reply(query, end, addresses), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    requested: (name: string) => requested.get(name) ?? 0,
    close: () => new Promise<void>(resolve => socket.close(() => resolve())),
  };
}

const A = 1;
const AAAA = 28;
const HEADER_BYTES = 12;

// RFC 1035, section 4: the labels of the name up to an empty one, then type and class.
function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (query[at]! > 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(query: Buffer, questionEnd: number, addresses: string[]): Buffer {
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map(address => {
    const data = Buffer.from(ipaddr.parse(address).toByteArray());
    const type = isIPv6(address) ? AAAA : A;
    return Buffer.concat([Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, questionEnd), ...records]);
}
