/**
 * Schemas of the values in requests. `x-constraint` is the end of the error sentence that says what a value must be;
 * `x-hint` follows it in brackets.
 */
import Type from 'typebox';
import { LIMITS } from './limits.ts';

// Lists the white space of String.prototype.trim, because `\s` differs between the regular expressions of languages.
export const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
// The ASCII control characters except white space. They are invisible, and some programs stop reading at one: NUL ends
// a text in C.
export const CONTROL = '\\u0000-\\u0008\\u000e-\\u001f\\u007f';
const NO_CONTROL = 'no control characters but white space';
const MIDDLE = `[^${CONTROL}]{0,${LIMITS.projectNameLength - 2}}`;
const TRIMMED_NAME = `^[${SPACE}]*[^${SPACE}${CONTROL}](?:${MIDDLE}[^${SPACE}${CONTROL}])?[${SPACE}]*$`;

/** The pattern of a text without control characters. */
export const PLAIN = `^[^${CONTROL}]*$`;

export const whole = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });
/** The keywords of a factor of the recording time. */
export const timeFactor = (description: string, type: 'number' | ['number', 'null'] = 'number') => ({
  ...{ type, minimum: 1, maximum: LIMITS.timeFactor, description, examples: [1.5] },
  'x-constraint': `must be a number from 1 to ${LIMITS.timeFactor}${type === 'number' ? '' : ', or null for that of the project'}`,
});
/** The keywords of a text without control characters. */
export const plainText = (maxLength: number, description: string) => ({
  maxLength,
  pattern: PLAIN,
  description,
  'x-constraint': `must have at most ${maxLength} characters, and ${NO_CONTROL}`,
});
export const text = (maxLength: number, description: string) => Type.String(plainText(maxLength, description));

/** The keywords of a time. */
export const momentText = (description: string) => ({
  format: 'date-time',
  description,
  'x-constraint': 'must be a time with its zone, such as 2026-03-02T10:00:00Z',
});

export const title = (description: string) =>
  Type.String({
    pattern: TRIMMED_NAME,
    description,
    examples: ['Customer stories'],
    'x-constraint': `must have 1 to ${LIMITS.projectNameLength} characters, and ${NO_CONTROL}`,
  });

export const question = Type.String({
  minLength: 1,
  maxLength: LIMITS.questionLength,
  pattern: `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`,
  examples: ['Why?'],
  'x-constraint': `must have at least 1 character that is not white space, at most ${LIMITS.questionLength} characters, and ${NO_CONTROL}`,
});

/** Whether the operator allows plain http in addresses. */
export interface AddressRule {
  allowHttpUrls: boolean;
}

// URL parsers skip or escape some of these characters and read a backslash as a slash. The request would then go to a
// different address from the written one.
export const UNSEEN = `${SPACE}\\u0000-\\u001f\\u007f-\\u009f\\\\`;
// Nothing listens on port 0, and HTTP clients replace it with the default port.
export const NO_PORT_0 = '(?![^/?#]*:0+(?:[/?#]|$))';

/** Returns the schema of an absolute https address without user name and password; "" means none. */
export function address(
  { allowHttpUrls }: AddressRule,
  description: string,
  { credentials }: { credentials: boolean },
) {
  const scheme = allowHttpUrls ? '[Hh][Tt][Tt][Pp][Ss]?' : '[Hh][Tt][Tt][Pp][Ss]';
  return Type.Unsafe<string>({
    description,
    anyOf: [
      { type: 'string', const: '' },
      {
        type: 'string',
        format: 'uri',
        pattern: `^${scheme}://${NO_PORT_0}[^/?#${credentials ? '' : '@'}${UNSEEN}]+([/?#][^${UNSEEN}]*)?$`,
        maxLength: LIMITS.urlLength,
        examples: ['https://bakery.example/videos'],
      },
    ],
    'x-constraint': `must be an absolute ${allowHttpUrls ? 'https: or http: URL' : 'https: URL (http: only where the operator allows it)'} of at most ${LIMITS.urlLength.toLocaleString('en-US')} characters without a backslash or port 0, without white space${credentials ? '' : ', user name or password'}, or "" for none`,
  });
}

export const reminderTimes = (maximum: number, description: string) =>
  Type.Array(whole(maximum, description), {
    ...{ uniqueItems: true, maxItems: LIMITS.reminders, description },
  });
