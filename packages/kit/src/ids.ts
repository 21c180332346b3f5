import { createHash, randomUUIDv7 } from 'node:crypto';

/** Returns a new UUIDv7, which sorts by its creation time. */
export const uuidv7 = (): string => randomUUIDv7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether `text` has the form of a UUID, of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * Returns the id of the event with the result of a request. The same request always gives the same id, so that
 * consumers recognise a repeated event. If `requestId` is a UUIDv7, the id is a UUIDv7 with the same time.
 */
export function answerId(requestId: string, type: string): string {
  const hash = createHash('sha256').update(`${requestId}\n${type}`).digest('hex');
  const plain = requestId.replaceAll('-', '').toLowerCase();
  const time = /^[0-9a-f]{32}$/.test(plain) ? plain.slice(0, 12) : hash.slice(20, 32);
  const variant = '89ab'[Number.parseInt(hash.charAt(3), 16) % 4];
  const hex = `${time}7${hash.slice(0, 3)}${variant}${hash.slice(4, 19)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
