/**
 * Schemas of what an owner states about a link: its person, metadata and deadline. The requests that create, add and
 * change links use them.
 */
import Type, { type Static } from 'typebox';
import { LIMITS } from './limits.ts';
import { CONTROL, momentText, plainText, SPACE, text, timeFactor } from './request-fields.ts';

const strict = { additionalProperties: false } as const;
// A language, a script, a region, variants, extensions and a private part of BCP 47. The format refuses repeated parts.
const LANGUAGE = '(?:[A-Za-z]{2,3}|[A-Za-z]{5,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?';
const VARIANTS = '(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*';
const EXTENSIONS = '(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?';
const MAILBOX = `[^@${SPACE}${CONTROL}]`;

/** Null and "" mean the same as an absent field. */
const optionalText = (schema: object) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...schema }));

const personFields = {
  name: optionalText(plainText(LIMITS.recipientTextLength, 'The name of the person.')),
  reference: optionalText(
    plainText(
      LIMITS.recipientTextLength,
      'Your own key for the person, such as a customer number. Two links of a project should not have the same.',
    ),
  ),
  email: optionalText({
    pattern: `^(?:${MAILBOX}{1,64}@${MAILBOX}{1,${LIMITS.emailLength - 65}})?$`,
    description: 'An email address. The service sends no mail.',
    examples: ['ana@example.org'],
    'x-constraint': `must be an email address of at most ${LIMITS.emailLength} characters, such as ana@example.org`,
  }),
  locale: optionalText({
    format: 'language-tag',
    pattern: `^(?:${LANGUAGE}${VARIANTS}${EXTENSIONS})?$`,
    maxLength: LIMITS.localeLength,
    description: 'The language that the recorder shows first, as a BCP 47 tag.',
    examples: ['pt-BR'],
    'x-constraint': `must be a language tag such as de, pt-BR or zh-Hant, of at most ${LIMITS.localeLength} characters`,
  }),
};

export const metadataInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: LIMITS.metadataKeys,
  propertyNames: {
    type: 'string',
    // Code that copies the fields of an object by name would lose a field `__proto__`.
    pattern: `^(?!__proto__$)[^${CONTROL}]{1,${LIMITS.metadataKeyLength}}$`,
    'x-constraint': `must have names of 1 to ${LIMITS.metadataKeyLength} characters without control characters`,
  },
  additionalProperties: text(LIMITS.metadataValueLength, 'A text.'),
  description: 'Your own texts by name.',
  'x-constraint': `must be an object with at most ${LIMITS.metadataKeys} texts`,
});

export const dueAtInput = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  ...momentText(
    'The deadline: a clip that lands later is late. It does not change when the link expires: a link whose `expiresAt` is earlier ends first. A time in the past is accepted.',
  ),
});

export const timeFactorInput = Type.Unsafe<number | null>(
  timeFactor(
    'The contributor may record this many times `maxDurationSec` of the project, in place of the factor of the project.',
    ['number', 'null'],
  ),
);

const Person = Type.Object(personFields, strict);
export type PersonInput = Static<typeof Person>;
/** The person in the body of a link's PATCH. */
export const personInput = Type.Unsafe<PersonInput | null>({
  ...Person,
  type: ['object', 'null'],
  description: 'Replaces the whole person; null removes it.',
});

/** One link: an item of `recipients` in a creation or of `links` in an addition, or a line of a CSV file. */
export const invitationInput = Type.Object(
  {
    ...personFields,
    metadata: Type.Optional(metadataInput),
    dueAt: Type.Optional(dueAtInput),
    timeFactor: Type.Optional(timeFactorInput),
  },
  strict,
);
export type InvitationInput = Static<typeof invitationInput>;
