import { mongo } from 'mongoose';
import { openTap, type Tap } from './tap.ts';

const OP_MSG = 2013;
const HEAD_BYTES = 16;
/** The document of a message follows its flags and the kind of the first section. */
const DOCUMENT_AT = HEAD_BYTES + 5;
const PREFIX = /^.*_/;
/** The driver checks the server with commands to this database. */
const OF_DRIVER = 'admin';
const BY_DRIVER = new Set(['hello', 'ismaster', 'ping', 'endSessions']);
/** The name for the reads of a change stream. No client's request waits for these reads. */
export const CHANGES = 'changes';

/**
 * Starts a proxy in front of MongoDB that counts commands as `<database> <collection> <command>`. Counts the reads of a
 * change stream as CHANGES: it finds their cursors in the replies to `aggregate` with `$changeStream`.
 */
export async function openMongoTap(mongoUrl: string): Promise<Tap> {
  const { host, search } = new URL(mongoUrl);
  const [hostname, port] = host.split(':');
  // A getMore may use a different connection from the command that opened its cursor.
  const changeStreams = new Set<string>();
  const tap = await openTap({ hostname: hostname!, port: Number(port) }, count => {
    const opening = new Set<number>();
    return {
      fromClient: eachMessage(message => {
        const command = documentOf(message);
        const name = nameOf(command, changeStreams);
        if (name !== undefined) count(name);
        if (isChangeStream(command)) opening.add(message.readInt32LE(4));
      }),
      fromServer: eachMessage(message => {
        // Parses only these few replies.
        if (!opening.delete(message.readInt32LE(8))) return;
        const { cursor } = documentOf(message) as { cursor?: { id: mongo.Long } };
        if (cursor) changeStreams.add(String(cursor.id));
      }),
    };
  });
  // With a connection to the whole replica set, the driver would bypass the proxy and use the members' addresses.
  const direct = new URLSearchParams(search);
  direct.set('directConnection', 'true');
  return { ...tap, url: `mongodb://${tap.address}/?${direct}` };
}

/** Returns a function that takes the chunks of a connection and calls `handle` with each whole message. */
function eachMessage(handle: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return chunk => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    while (rest.length >= HEAD_BYTES && rest.length >= rest.readInt32LE()) {
      const message = rest.subarray(0, rest.readInt32LE());
      rest = rest.subarray(message.length);
      if (message.readInt32LE(12) === OP_MSG) handle(message);
    }
  };
}

type Document = Record<string, unknown>;

// Keeps 64-bit numbers, because the ids of cursors need them.
const documentOf = (message: Buffer): Document =>
  mongo.BSON.deserialize(message.subarray(DOCUMENT_AT, DOCUMENT_AT + message.readInt32LE(DOCUMENT_AT)), {
    promoteLongs: false,
  });

const isChangeStream = ({ pipeline }: Document): boolean =>
  Array.isArray(pipeline) && pipeline[0]?.$changeStream !== undefined;

function nameOf(command: Document, changeStreams: ReadonlySet<string>): string | undefined {
  const [name = ''] = Object.keys(command);
  if (command.$db === OF_DRIVER && BY_DRIVER.has(name)) return undefined;
  const isMore = name === 'getMore';
  const collection = isMore ? command.collection : command[name];
  const shown = isMore && changeStreams.has(String(command.getMore)) ? CHANGES : name;
  return [String(command.$db).replace(PREFIX, ''), typeof collection === 'string' ? collection : '-', shown].join(' ');
}
