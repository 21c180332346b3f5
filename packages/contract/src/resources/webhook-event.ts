import Type, { type TSchema } from 'typebox';
import type { WebhookEventType } from '../webhook-events.ts';
import { count, dateTime, flag, nullableFormat, nullableInteger, ref, resource, text, uuid } from './fields.ts';
import { EventLink } from './recipient.ts';
import { Submission } from './submission.ts';

const sandbox = flag('Whether the project is a sandbox, so that the event is about a test.');

const event = <const T extends WebhookEventType, D extends Record<string, TSchema>>(type: T, $id: string, data: D) =>
  Type.Object(
    {
      id: uuid('The event: the same on each retry. Use it to recognise repeated events.'),
      type: Type.Unsafe<T>({ type: 'string', const: type }),
      createdAt: dateTime('When it happened.'),
      data: Type.Object(
        { projectId: uuid('The project.'), projectName: text('Its title at that time.'), ...data, sandbox },
        resource,
      ),
    },
    { $id, ...resource },
  );

const withSubmission = { submission: ref(Submission) };
// Client generators do not support a field that can only be null.
const without = {
  submission: Type.Unsafe<null>({
    type: ['object', 'null'],
    description: 'null: this event is about no existing submission.',
  }),
};

const SubmissionCompletedEvent = event('submission.completed', 'SubmissionCompletedEvent', withSubmission);
const TranscriptCompletedEvent = event('submission.transcript.completed', 'TranscriptCompletedEvent', withSubmission);
const TranscriptFailedEvent = event('submission.transcript.failed', 'TranscriptFailedEvent', withSubmission);
const MediaCompletedEvent = event('submission.media.completed', 'MediaCompletedEvent', withSubmission);
const MediaFailedEvent = event('submission.media.failed', 'MediaFailedEvent', withSubmission);
const ResponseCompletedEvent = event('response.completed', 'ResponseCompletedEvent', {
  ...without,
  response: Type.Object(
    {
      responseSessionId: uuid(
        'The response: one contributor’s pass through a link. The responseId of its submissions, also outside interviews.',
      ),
      tokenId: uuid('The link that it came through.'),
      submissionIds: Type.Array(uuid('A submission; 404 if it was erased since.'), {
        description:
          'Its answers, in the order of the questions, without those that were erased before the last one landed; only one if the project has no questions.',
      }),
    },
    resource,
  ),
});
const SubmissionErasedEvent = event('submission.erased', 'SubmissionErasedEvent', {
  ...without,
  submissionId: uuid('The erased submission.'),
  erasedAt: dateTime('When it was erased.'),
});
const WebhookFailingEvent = event('webhook.failing', 'WebhookFailingEvent', {
  ...without,
  failingSince: dateTime('The first failure since the last success.'),
  lastStatusCode: nullableInteger('The status of the last answer; null when there was none.'),
  lastError: text('Why the last attempt did not succeed.'),
  unsentEvents: count('The events that waited at `createdAt`; 10,000 means 10,000 or more.'),
});
const LinkRecordingEvent = event('link.recording', 'LinkRecordingEvent', {
  ...without,
  link: ref(EventLink),
  responseSessionId: uuid('The response that began. The responseId of its submissions.'),
});
const LinkReminderDueEvent = event('link.reminder_due', 'LinkReminderDueEvent', {
  ...without,
  link: ref(EventLink),
  number: Type.Integer({ minimum: 1, description: 'Counts the reminders of this link from 1.' }),
  stopUrl: nullableFormat(
    'uri',
    'A page with a button that stops the reminders of this link; null when its key is lost.',
  ),
});
const LinkClosedEvent = event('link.closed', 'LinkClosedEvent', { ...without, link: ref(EventLink) });
const ProjectCreatedEvent = event('project.created', 'ProjectCreatedEvent', without);
const ProjectUpdatedEvent = event('project.updated', 'ProjectUpdatedEvent', {
  ...without,
  changed: Type.Array(text('A setting; also expiresAt, webhookSecret or closed.'), {
    description: 'The names of what changed, without the values.',
  }),
});
const TestEvent = event('webhook.test', 'TestEvent', without);

/** The schema of an event, by its `type`. */
export const WEBHOOK_EVENT_SCHEMAS = {
  'submission.completed': SubmissionCompletedEvent,
  'submission.transcript.completed': TranscriptCompletedEvent,
  'submission.transcript.failed': TranscriptFailedEvent,
  'submission.media.completed': MediaCompletedEvent,
  'submission.media.failed': MediaFailedEvent,
  'response.completed': ResponseCompletedEvent,
  'submission.erased': SubmissionErasedEvent,
  'webhook.failing': WebhookFailingEvent,
  'link.recording': LinkRecordingEvent,
  'link.reminder_due': LinkReminderDueEvent,
  'link.closed': LinkClosedEvent,
  'project.created': ProjectCreatedEvent,
  'project.updated': ProjectUpdatedEvent,
  'webhook.test': TestEvent,
} as const satisfies Record<WebhookEventType, TSchema>;
