import Type, { type Static } from 'typebox';
import { dateTime, flag, nullableFormat, resource, text, uuid } from './fields.ts';

export const OwnerEvent = Type.Object(
  {
    eventId: uuid('The event: the same as the `id` of its webhook.'),
    type: text('Such as submission.completed. New types may be added: ignore those that you do not know.'),
    createdAt: dateTime('When it happened.'),
    projectId: uuid('The project.'),
    submissionId: nullableFormat('uuid', 'The submission that the event is about; null if it is about none.'),
    tokenId: nullableFormat('uuid', 'The link that the event is about; null if it is about none.'),
    erased: flag('Whether the data was erased, with its submission or project.'),
    data: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The `data` of the webhook of this event; null after an erasure.',
    }),
  },
  { $id: 'OwnerEvent', ...resource },
);
export type OwnerEventJson = Static<typeof OwnerEvent>;

export const OwnerEventsPage = Type.Object(
  {
    events: Type.Array(Type.Unsafe<OwnerEventJson>({ $ref: 'OwnerEvent#' }), {
      description: 'In the order of the feed. A page may have fewer events than requested, even none.',
    }),
    nextCursor: text('Send it as `after` to continue. It is also there when the page is empty.'),
    caughtUp: flag('Whether there were no more events. If false, ask again at once.'),
  },
  { $id: 'OwnerEventsPage', ...resource },
);
export type OwnerEventsPageJson = Static<typeof OwnerEventsPage>;
