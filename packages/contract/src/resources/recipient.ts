import Type, { type Static } from 'typebox';
import { flag, nullableFormat, nullableRef, nullableText, resource, uuid } from './fields.ts';

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

export const EventLink = Type.Object(
  {
    tokenId: uuid('The link.'),
    recipient: nullableRef(Recipient),
    metadata,
    recipientUrl: nullableFormat('uri', 'The recording link; null when its key is lost.'),
    dueAt: nullableFormat('date-time', 'The deadline; a later clip is late.'),
  },
  { $id: 'EventLink', description: 'The link of an event, as it was when the event was prepared.', ...resource },
);
export type EventLinkJson = Static<typeof EventLink>;
