import Type, { type Static } from 'typebox';
import {
  count,
  dateTime,
  flag,
  LINK_STATUSES,
  LINK_TYPES,
  nullableFormat,
  nullableInteger,
  nullableRef,
  oneOf,
  PERSON_STATES,
  type PersonStateName,
  resource,
  text,
  uri,
  uuid,
} from './fields.ts';
import { metadata, Recipient } from './recipient.ts';

const recipientLinkFields = {
  tokenId: uuid('The link.'),
  token: text('The recipient token, prefix vr_.'),
  linkType: oneOf(LINK_TYPES, 'Single-recipient or reusable.'),
  status: oneOf(
    LINK_STATUSES,
    'disabled, exhausted, expired or active: the first that applies. exhausted with completedAt null: the response has begun and is not complete.',
  ),
  maxUses: count('How many responses the link accepts.'),
  submissionCount: count('How many clips have landed through it.'),
  remainingUses: count('How many more responses can begin.'),
  openedAt: nullableFormat('date-time', 'The first touch or key on the recording page.'),
  submittedAt: nullableFormat('date-time', 'When the last clip landed.'),
  expiresAt: nullableFormat('date-time', 'null: never.'),
  createdAt: dateTime('When the link was made.'),
  recipientUrl: uri('The recording link to send to a contributor.'),
};
// In an HTTP response, these fields follow the fields of the contract.
const additionalFields = {
  completedAt: nullableFormat(
    'date-time',
    'When its response was complete: every answer has landed. null until then. A shared link shows the latest of its responses.',
  ),
  recipient: nullableRef(Recipient),
  metadata,
  dueAt: nullableFormat('date-time', 'The deadline: a clip that lands later is late. null: none.'),
  changedAt: dateTime('When the link, or what its person did, last changed.'),
  state: Type.Unsafe<PersonStateName | null>({
    type: ['string', 'null'],
    enum: [...PERSON_STATES, null],
    description:
      'What the person did. invited: nothing; opened: opened the recording page; recording: has begun, or has not sent every answer of an interview; sent; closed: sent nothing, and the link accepts nothing any more. null for a shared link.',
  }),
  answersSent: nullableInteger(
    'How many answers of the interview have landed; null outside interviews and for a shared link.',
  ),
  questionCount: nullableInteger(
    'How many questions the interview has; null outside interviews and for a shared link.',
  ),
  sandbox: flag('Whether the project is a sandbox.'),
  remindersSent: count('How many reminders were sent to the project: see `remind` of a project.'),
  remindersStopped: flag('Whether the person or you stopped the reminders.'),
};
// Only the owner sees this field. The dashboard and the exports leave it out.
const ownFields = {
  timeFactor: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: 1,
      description:
        'How many times `maxDurationSec` the contributor may record; null: the factor of the project. Only for API tokens: exports, events and the dashboard leave it out.',
    }),
  ),
};
const qrCodePngUrl = uri('Authenticated address of the QR code of the shared link, a PNG.');
const sameAddress = uri('The same as recipientUrl.');

export const RecipientLink = Type.Object(
  { ...recipientLinkFields, ...additionalFields, ...ownFields },
  { $id: 'RecipientLink', ...resource },
);
export type RecipientLinkJson = Static<typeof RecipientLink>;

export const SharedRecipientLink = Type.Object(
  { ...recipientLinkFields, qrCodePngUrl, ...additionalFields, ...ownFields },
  { $id: 'SharedRecipientLink', ...resource },
);
export type SharedRecipientLinkJson = Static<typeof SharedRecipientLink>;

export const CreatedRecipientLink = Type.Object(
  { ...recipientLinkFields, url: sameAddress, ...additionalFields, ...ownFields },
  { $id: 'CreatedRecipientLink', description: 'A RecipientLink with its address also as `url`.', ...resource },
);
export type CreatedRecipientLinkJson = Static<typeof CreatedRecipientLink>;

export const CreatedSharedRecipientLink = Type.Object(
  { ...recipientLinkFields, qrCodePngUrl, url: sameAddress, ...additionalFields, ...ownFields },
  {
    $id: 'CreatedSharedRecipientLink',
    description: 'A SharedRecipientLink with its address also as `url`.',
    ...resource,
  },
);
export type CreatedSharedRecipientLinkJson = Static<typeof CreatedSharedRecipientLink>;
