/** The `webhooks` of openapi.json: the requests to owners' endpoints, and the answers that an endpoint must send. */
import { WEBHOOK_EVENT_SCHEMAS } from '@recording-request/contract/resources/webhook-event';
import { sampleSubject } from '@recording-request/contract/sample-event';
import { webhookBody } from '@recording-request/contract/webhook';
import { OPTIONAL_EVENTS, type WebhookEventType } from '@recording-request/contract/webhook-events';

const nameOf = (schema: object) => (schema as { $id: string }).$id;
const component = (name: string) => `#/components/schemas/${name}`;
const COMPONENTS = Object.entries(WEBHOOK_EVENT_SCHEMAS).map(
  ([type, schema]) => [type as WebhookEventType, component(nameOf(schema))] as const,
);

/**
 * Every event, distinguished by `type`. The schema has no discriminator, because a client generated from one fails at
 * an unknown type.
 */
export const webhookEventSchema = {
  description:
    'The body of a webhook. `type` names the event; new types may be added: ignore those that you do not know.',
  anyOf: [...COMPONENTS.map(([, $ref]) => ({ $ref })), { $ref: component('OtherEvent') }],
};

/** An event with a type that this version does not know. */
export const otherEventSchema = {
  type: 'object' as const,
  description: 'An event of a type that was added later. Acknowledge and ignore it.',
  properties: {
    id: { type: 'string' as const, format: 'uuid', description: 'The event: the same on each retry.' },
    type: { type: 'string' as const, description: 'Its type.' },
    createdAt: { type: 'string' as const, format: 'date-time', description: 'When it happened.' },
    data: {
      type: 'object' as const,
      description: 'The content of the event.',
      properties: {
        projectId: { type: 'string' as const, format: 'uuid', description: 'The project.' },
        projectName: { type: 'string' as const, description: 'Its title at that time.' },
      },
      required: ['projectId', 'projectName'],
      additionalProperties: true,
    },
  },
  required: ['id', 'type', 'createdAt', 'data'],
};

const header = (name: string, description: string, required = true) => ({
  name,
  in: 'header' as const,
  required,
  description,
  schema: { type: 'string' as const },
});

const HEADERS = [
  header('service-event', 'The type. The word `service` may be another one here: ask the operator.'),
  header('service-event-id', 'The id of the event.'),
  header('service-signature', 'sha256=<hex HMAC-SHA-256 of the body>. Only with a webhookSecret.', false),
  header('service-test', '`true` on a test event, whose content is made up; absent otherwise.', false),
  header('webhook-id', 'The id of the event, as Standard Webhooks names it.'),
  header('webhook-timestamp', 'Unix seconds of this attempt.'),
  header('webhook-signature', 'As Standard Webhooks defines it. Only with a webhookSecret.', false),
];

const SUMMARIES: Record<WebhookEventType, string> = {
  'submission.completed': 'A clip has landed; its media may not be ready yet',
  'submission.transcript.completed': 'A transcript is ready',
  'submission.transcript.failed': 'A transcript could not be made',
  'submission.media.completed': 'The seekable video, the thumbnails and the audio of a clip are ready',
  'submission.media.failed': 'Some of the media could not be made, as `mediaError` says; the video can be fetched',
  'response.completed': 'A contributor has given every answer',
  'submission.erased': 'A submission was erased; delete your copies',
  'webhook.failing': 'The endpoint has failed for 15 minutes; sent when it accepts events again',
  'link.recording': 'A contributor has begun to record',
  'link.reminder_due': 'A person who has sent nothing is to be reminded',
  'link.closed': 'You disabled a link',
  'project.created': 'A project was created',
  'project.updated': 'Settings of a project were changed',
  'webhook.test': 'You requested it',
};

export function webhooksSection(baseUrl: string) {
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        tags: ['webhooks'],
        summary: 'An event of a project, sent to its webhookUrl',
        description: `Sent at least once, in no particular order. Answer 2xx within 15 s; after any other answer the service retries for days. A project gets ${OPTIONAL_EVENTS.join(', ')} only if its \`webhookEvents\` names them.`,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: component('WebhookEvent') }, examples: examples(baseUrl) },
          },
        },
        responses: {
          '2XX': { description: 'Accepted. The service ignores the body.' },
          410: { description: 'The endpoint wants no more events: it is paused, and its events are kept.' },
          default: { description: 'Not accepted; the service retries.' },
        },
      },
    },
  };
}

/** Returns a complete example of each type. */
function examples(baseUrl: string) {
  const at = new Date('2026-03-02T10:15:28.000Z');
  const project = { projectId: exampleId(1), projectName: 'Customer stories', sandbox: false };
  return Object.fromEntries(
    COMPONENTS.map(([type]) => {
      let ids = 2;
      const subject = sampleSubject(type, { ...project, baseUrl, at, id: () => exampleId(ids++) });
      const value = webhookBody({ ...project, id: exampleId(9), createdAt: at }, subject);
      return [type, { summary: SUMMARIES[type], value }];
    }),
  );
}

const exampleId = (n: number) => `019a3f0e-52c1-7a10-8c55-${String(n).padStart(12, '0')}`;
