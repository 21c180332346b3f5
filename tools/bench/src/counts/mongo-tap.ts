import { mongo } from 'mongoose';
import { openTap, type Tap } from './tap.ts';

const OP_MSG = 2013;
const HEAD_BYTES = 16;
/** The command's name follows the flags and the kind of the first section. */
const COMMAND_AT = HEAD_BYTES + 5;
const PREFIX = /^.*_/;
/** The driver checks the server with commands to this database. */
const OF_DRIVER = 'admin';
const BY_DRIVER = new Set(['hello', 'ismaster', 'ping', 'endSessions']);

/** Starts a proxy in front of MongoDB that counts commands as `<database> <collection> <command>`. */
export async function openMongoTap(mongoUrl: string): Promise<Tap> {
  const { host, search } = new URL(mongoUrl);
  const [hostname, port] = host.split(':');
  const tap = await openTap({ hostname: hostname!, port: Number(port) }, count => {
    let rest: Buffer = Buffer.alloc(0);
    return chunk => {
      rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      while (rest.length >= HEAD_BYTES && rest.length >= rest.readInt32LE()) {
        const message = rest.subarray(0, rest.readInt32LE());
        rest = rest.subarray(message.length);
        const name = message.readInt32LE(12) === OP_MSG ? nameOf(message) : undefined;
        if (name !== undefined) count(name);
      }
    };
  });
  // With a connection to the whole replica set, the driver would bypass the proxy and use the members' addresses.
  const direct = new URLSearchParams(search);
  direct.set('directConnection', 'true');
  return { ...tap, url: `mongodb://${tap.address}/?${direct}` };
}

function nameOf(message: Buffer): string | undefined {
  const command = mongo.BSON.deserialize(message.subarray(COMMAND_AT, COMMAND_AT + message.readInt32LE(COMMAND_AT)));
  const [name = ''] = Object.keys(command);
  if (command.$db === OF_DRIVER && BY_DRIVER.has(name)) return undefined;
  const collection = name === 'getMore' ? command.collection : command[name];
  return [String(command.$db).replace(PREFIX, ''), typeof collection === 'string' ? collection : '-', name].join(' ');
}
