import Type, { type Static } from 'typebox';
import { flag, nullableText, resource } from './fields.ts';

export const Recipient = Type.Object(
  {
    name: nullableText('The name of the person.'),
    reference: nullableText('The owner’s own key for the person.'),
    email: nullableText('An email address. The service sends no mail.'),
    locale: nullableText('The language of the person, as a BCP 47 tag.'),
    verified: flag('False: the contributor’s address stated the reference, so it proves nothing.'),
  },
  { $id: 'Recipient', description: 'The person for whom a link is meant.', ...resource },
);
export type RecipientJson = Static<typeof Recipient>;

export const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The owner’s own texts by name; {} without any.',
});
