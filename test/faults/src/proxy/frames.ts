/** The message format of a protocol; `raw` has no messages. */
export type Framing = 'raw' | 'mongo' | 'kafka';

/** Splits a stream of bytes into whole messages with their length prefixes. */
export function createSplitter(framing: Framing): (chunk: Buffer) => Buffer[] {
  if (framing === 'raw') return chunk => [chunk];
  const lengthOf = (bytes: Buffer) => (framing === 'mongo' ? bytes.readInt32LE(0) : bytes.readInt32BE(0) + 4);
  // Joins the chunks only when a message is whole; joining at each chunk would copy a long message many times.
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 4;
  return chunk => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return [];
    let pending = chunks.length === 1 ? chunk : Buffer.concat(chunks, size);
    const frames: Buffer[] = [];
    wanted = 4;
    while (pending.length >= 4) {
      wanted = lengthOf(pending);
      if (pending.length < wanted) break;
      frames.push(pending.subarray(0, wanted));
      pending = pending.subarray(wanted);
      wanted = 4;
    }
    chunks = pending.length === 0 ? [] : [pending];
    size = pending.length;
    return frames;
  };
}

/** Two byte strings of the same length, so that the lengths in a message do not change. */
export type Replacement = readonly [from: Buffer, to: Buffer];

/** Returns the message with each `from` replaced by its `to`. */
export function replaceAll(frame: Buffer, replacements: readonly Replacement[]): Buffer {
  let out = frame;
  for (const [from, to] of replacements) {
    for (let at = out.indexOf(from); at >= 0; at = out.indexOf(from, at + to.length)) {
      if (out === frame) out = Buffer.from(frame);
      to.copy(out, at);
    }
  }
  return out;
}

/** For MongoDB: returns the id of a request. `mongoAnswerTo` returns the id of the request to which a response belongs. */
export const mongoRequestId = (frame: Buffer): number => frame.readInt32LE(4);
export const mongoAnswerTo = (frame: Buffer): number => frame.readInt32LE(8);
/**
 * For Kafka: returns the API key of a request (0 is Produce). The functions below return the correlation ids of a request
 * and a response.
 */
export const kafkaApiKey = (request: Buffer): number => request.readInt16BE(4);
export const kafkaRequestId = (request: Buffer): number => request.readInt32BE(8);
export const kafkaAnswerTo = (answer: Buffer): number => answer.readInt32BE(4);
export const KAFKA_PRODUCE = 0;

const OP_MSG = 2013;
const BSON_STRING = 2;

/** For MongoDB: returns the command and the collection of a request; undefined if it is not a command on a collection. */
export function mongoCommand(request: Buffer): { name: string; collection: string } | undefined {
  // The order is: header, flags, a section of kind 0, the document's length, and then the first element, whose name is the
  // command.
  if (request.length < 32 || request.readInt32LE(12) !== OP_MSG || request[20] !== 0) return undefined;
  const end = request.indexOf(0, 26);
  if (request[25] !== BSON_STRING || end < 0) return undefined;
  const length = request.readInt32LE(end + 1);
  return {
    name: request.toString('latin1', 26, end),
    collection: request.toString('utf8', end + 5, end + 4 + length),
  };
}

const COMMIT = 'commitTransaction';

/** For MongoDB: returns true if the request commits a transaction. */
export const isMongoCommit = (request: Buffer): boolean =>
  request.length > 26 + COMMIT.length &&
  request.readInt32LE(12) === OP_MSG &&
  request[20] === 0 &&
  request.toString('latin1', 26, 26 + COMMIT.length) === COMMIT;
