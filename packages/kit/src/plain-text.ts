import { DomainError } from './errors.ts';

// ASCII control characters except white space. Some programs that read an export stop at such a character: NUL ends a
// string in C.
const CONTROL = /(?![\s\u0080-\u009f])\p{Cc}/u;

/** Throws `invalid`, with the field's name, if a text has control characters other than white space. */
export function refuseControlCharacters(field: string, text: string): void {
  if (CONTROL.test(text))
    throw new DomainError(
      'invalid',
      `${field} must have no control characters but white space, such as tabs and line breaks.`,
    );
}
