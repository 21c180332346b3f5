/** The brand of a project or an owner: the look of the contributor's pages. */
import Type, { type Static } from 'typebox';
import { LEAST_ACCENT_CONTRAST } from './accent.ts';
import { LIMITS } from './limits.ts';
import { text } from './request-fields.ts';
import { text as shownText } from './resources/fields.ts';

/** The stored form; "" for what is not set. */
export interface Brand {
  name: string;
  accent: string;
}

export const NO_BRAND: Brand = { name: '', accent: '' };

const accent = Type.String({
  pattern: '^(?:#[0-9a-fA-F]{6})?$',
  format: 'accent',
  description: `The colour of buttons, as # and six hex digits; "" for none. Its contrast with white must be at least ${LEAST_ACCENT_CONTRAST}:1. The pages derive the shades for texts and for dark backgrounds.`,
  examples: ['#8c2f39'],
  'x-constraint': `must be a colour such as #8c2f39 whose contrast with white is ${LEAST_ACCENT_CONTRAST}:1 or more (choose a darker one), or "" for none`,
});

/** The schema in a request. null means none. */
export const brandRequest = (description: string) =>
  Type.Unsafe<Brand>({
    type: ['object', 'null'],
    properties: { name: text(LIMITS.brandNameLength, 'Your name for contributors; "" for none.'), accent },
    additionalProperties: false,
    description,
  });

const shown = {
  name: shownText('The name that contributors see; "" for none.'),
  accent: shownText('The colour of buttons, such as #8c2f39; "" for none.'),
};

/** The body of PATCH /api/me. */
export const UpdateUserBody = Type.Object(
  {
    brand: Type.Optional(
      brandRequest(
        'The brand of your projects, where a project does not set its own; null for none. Replaces the old one.',
      ),
    ),
  },
  { additionalProperties: false, description: 'An absent field stays unchanged.' },
);
export type UpdateUserInput = Static<typeof UpdateUserBody>;

/** The brand of an owner in an answer. */
export const OwnerBrand = Type.Unsafe<Brand | null>({
  description: 'The brand of the owner’s projects, where a project does not set its own; null for none.',
  anyOf: [Type.Object(shown, { additionalProperties: false }), { type: 'null' }],
});

/** The brand of a project in an answer. */
export const ProjectBrand = Type.Unsafe<(Brand & { logoUrl: string | null }) | null>({
  description: 'The name, colour and logo that contributors see; null for none of them.',
  anyOf: [
    Type.Object(
      {
        ...shown,
        logoUrl: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'uri',
          description: 'The logo, fetched with the same token; null for none.',
        }),
      },
      { additionalProperties: false },
    ),
    { type: 'null' },
  ],
});

/** Returns the brand for storage: the name without white space around it, the colour in lower case. */
export const normalBrand = ({ name, accent }: Brand): Brand => ({ name: name.trim(), accent: accent.toLowerCase() });

export const isUnbranded = (brand: Brand | undefined): boolean => !brand?.name && !brand?.accent;
