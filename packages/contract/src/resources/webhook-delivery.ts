import Type, { type Static } from 'typebox';
import {
  count,
  DELIVERY_STATES,
  dateTime,
  ENDPOINT_STATES,
  flag,
  nullableFormat,
  nullableInteger,
  nullableText,
  oneOf,
  ref,
  resource,
  text,
  uuid,
} from './fields.ts';
import { Pagination } from './submission.ts';

const deliveryAttempt = Type.Object(
  {
    at: dateTime('The time of the attempt.'),
    statusCode: nullableInteger('The status of the answer; null when there was none.'),
    error: nullableText('Why it did not succeed.'),
    durationMs: count('Milliseconds.'),
  },
  resource,
);

export const WebhookDelivery = Type.Object(
  {
    deliveryId: uuid('The delivery.'),
    eventId: uuid('The event: the same on each retry.'),
    eventType: text('Such as submission.completed.'),
    projectId: uuid('The project.'),
    submissionId: nullableFormat('uuid', 'The submission that the event is about; null if it is about no real one.'),
    state: oneOf(
      DELIVERY_STATES,
      'paused: kept until the endpoint resumes. failed: a test event, which is sent only once, or an event that the operator can no longer decrypt. erased: its submission was erased, so it is never sent.',
    ),
    createdAt: dateTime('When the event was recorded.'),
    deliveredAt: nullableFormat('date-time', 'When the endpoint answered with 2xx.'),
    nextAttemptAt: nullableFormat('date-time', 'When the next attempt is due.'),
    attemptCount: count('The total number of attempts.'),
    attempts: Type.Array(deliveryAttempt, { description: 'The last 50 attempts.' }),
    test: flag('Whether it is a test event, whose content is made up.'),
  },
  { $id: 'WebhookDelivery', ...resource },
);
export type WebhookDeliveryJson = Static<typeof WebhookDelivery>;

const webhookEndpoint = Type.Object(
  {
    state: oneOf(ENDPOINT_STATES, 'paused: nothing is sent until webhookUrl is set again or a test event succeeds.'),
    failingSince: nullableFormat('date-time', 'The first failure since the last success.'),
    lastStatusCode: nullableInteger(
      'While it fails: the status of the last answer that was not 2xx; null when there was none.',
    ),
    lastError: nullableText('While it fails: why the last attempt did not succeed.'),
    pausedAt: nullableFormat('date-time', 'When it was paused.'),
    pauseReason: nullableText('Why, and how to resume.'),
  },
  resource,
);
export type WebhookEndpointJson = Static<typeof webhookEndpoint>;
export const endpointOrNull = Type.Unsafe<WebhookEndpointJson | null>({
  description: 'The state of the endpoint; null until something was sent.',
  anyOf: [webhookEndpoint, { type: 'null' }],
});

export const WebhookRedelivery = Type.Object(
  { projectId: uuid('The project.'), count: count('The number of events that are sent again.') },
  { $id: 'WebhookRedelivery', ...resource },
);
export type WebhookRedeliveryJson = Static<typeof WebhookRedelivery>;

export const WebhookDeliveriesPage = Type.Object(
  {
    projectId: uuid('The project.'),
    endpoint: endpointOrNull,
    deliveries: Type.Array(ref(WebhookDelivery), { description: 'Newest first.' }),
    pagination: ref(Pagination),
  },
  { $id: 'WebhookDeliveriesPage', ...resource },
);
export type WebhookDeliveriesPageJson = Static<typeof WebhookDeliveriesPage>;
