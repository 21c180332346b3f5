import { LIMITS } from './limits.ts';

/** The pattern of the reference in the address of a shared link. */
export const REFERENCE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
const VALID = new RegExp(REFERENCE_PATTERN, 'u');

/**
 * Returns the reference in an address; undefined for none. Ignores an invalid reference, because the page must also
 * open with a broken address.
 */
export function referenceOf(stated: unknown): string | undefined {
  if (typeof stated !== 'string' || stated.trim() === '') return undefined;
  return [...stated].length <= LIMITS.recipientTextLength && VALID.test(stated) ? stated : undefined;
}
