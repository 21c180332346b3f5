/**
 * The limit for the texts of one event, in bytes of UTF-8; longer texts are stored as an object. A Kafka record may be
 * a megabyte long, and many events queue up while Kafka is down.
 */
const INLINE_BYTES = 100_000;

/** Returns whether texts are too long for an event. */
export const areLong = (...texts: Array<string | undefined>): boolean =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), 0) > INLINE_BYTES;
