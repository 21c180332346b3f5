/**
 * In bytes of UTF-8, of the texts of an event together: longer ones go by reference. A Kafka record may have a megabyte, and
 * many events wait together when Kafka is away.
 */
const INLINE_BYTES = 100_000;

/** Whether texts are too long for an event. */
export const areLong = (...texts: Array<string | undefined>): boolean =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), 0) > INLINE_BYTES;
