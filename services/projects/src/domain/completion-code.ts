import { createHash } from 'node:crypto';

/** Crockford's base32, which has no I, L, O and U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;

// The chance that two responses have the same code is one in 10¹².
const TRIES = 5;

/** Returns the codes that a response may have, in the order in which the service tries them. */
export const codesOf = (responseId: string): string[] =>
  Array.from({ length: TRIES }, (_, attempt) => codeOf(responseId, attempt));

/**
 * Returns the completion code of a response, from the response's id. Two responses can have the same code; `attempt`
 * gives another one.
 */
export function codeOf(responseId: string, attempt: number): string {
  const hash = createHash('sha256').update(`completion:${attempt}:${responseId}`).digest();
  return Array.from(hash.subarray(0, LENGTH), byte => DIGITS[byte % DIGITS.length]).join('');
}

/** Returns a code in the form of `codeOf`. A person may have written it in lower case, or with similar letters. */
export const codeAsWritten = (text: string): string => text.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
