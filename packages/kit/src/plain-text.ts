import { DomainError } from './errors.ts';

// Those of ASCII that are no white space. Programs that read an export stop at some of them: NUL ends a text in C.
const CONTROL = /(?![\s\u0080-\u009f])\p{Cc}/u;

/** Fails with `invalid`, naming the field, where a text has control characters other than white space. */
export function refuseControlCharacters(field: string, text: string): void {
  if (CONTROL.test(text))
    throw new DomainError(
      'invalid',
      `${field} must have no control characters but white space, such as tabs and line breaks.`,
    );
}
