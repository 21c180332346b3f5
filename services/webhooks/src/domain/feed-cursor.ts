import { createHash } from 'node:crypto';

const FORM = /^1\.(\d{1,15})\.([\w-]{11})$/;
const MARK_BYTES = 8;

/** Returns the text of a place in an owner's feed: the number of the last event that was read, bound to the owner. */
export const encodeFeedCursor = (ownerId: string, seq: number): string =>
  Buffer.from(`1.${seq}.${markOf(ownerId)}`).toString('base64url');

/** Returns the place; undefined for a text that `encodeFeedCursor` did not create for this owner. */
export function decodeFeedCursor(ownerId: string, text: string): number | undefined {
  const match = FORM.exec(Buffer.from(text, 'base64url').toString());
  if (!match || match[2] !== markOf(ownerId)) return undefined;
  const seq = Number(match[1]);
  return encodeFeedCursor(ownerId, seq) === text ? seq : undefined;
}

const markOf = (ownerId: string): string =>
  createHash('sha256').update(`feed ${ownerId}`).digest().subarray(0, MARK_BYTES).toString('base64url');
