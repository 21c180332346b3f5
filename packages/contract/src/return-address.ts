import Type from 'typebox';
import { LIMITS } from './limits.ts';
import { type AddressRule, NO_PORT_0, UNSEEN } from './request-fields.ts';

/** The placeholders of a return address. */
export const PLACEHOLDERS = ['reference', 'submissionId', 'code'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');

/**
 * Returns the schema of a return address: "", or an absolute https address whose path and query may have placeholders.
 * The host has none, so the contributor can read where the address leads.
 */
export function returnAddress({ allowHttpUrls }: AddressRule, description: string) {
  const scheme = allowHttpUrls ? '[Hh][Tt][Tt][Pp][Ss]?' : '[Hh][Tt][Tt][Pp][Ss]';
  const inside = `(?:[^{}#${UNSEEN}]|\\{(?:${PLACEHOLDERS.join('|')})\\})*`;
  return Type.Unsafe<string>({
    description,
    anyOf: [
      { type: 'string', const: '' },
      {
        type: 'string',
        format: 'return-url',
        pattern: `^${scheme}://${NO_PORT_0}[^/?#@{}${UNSEEN}]+(?:[/?]${inside})?(?:#[^{}${UNSEEN}]*)?$`,
        maxLength: LIMITS.urlLength,
        examples: ['https://shop.example/thanks?order={reference}&code={code}'],
      },
    ],
    'x-constraint': `must be an absolute ${allowHttpUrls ? 'https: or http: URL' : 'https: URL (http: only where the operator allows it)'} of at most ${LIMITS.urlLength.toLocaleString('en-US')} characters without white space, a backslash, port 0, user name or password, with no braces but {reference}, {submissionId} and {code} in its path or query, or "" for none`,
  });
}

/** Returns whether a text is a URL once its placeholders are replaced. */
export const isReturnAddress = (text: string): boolean => URL.canParse(filled(text, () => 'x'));

export const filled = (address: string, replace: (name: Placeholder) => string): string =>
  address.replaceAll(PLACEHOLDER, (_, name: Placeholder) => encodeURIComponent(replace(name).toWellFormed()));

/** Returns the host that a contributor sees, with its port. */
export const hostOf = (address: string): string => new URL(address).host;
