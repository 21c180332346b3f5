/** The events that every project with a `webhookUrl` receives. */
export const STANDARD_EVENTS = [
  'submission.completed',
  'submission.transcript.completed',
  'submission.transcript.failed',
] as const;

/** The events that a project requests by `webhookEvents`. */
export const OPTIONAL_EVENTS = [
  'submission.media.completed',
  'submission.media.failed',
  'response.completed',
  'submission.erased',
  'webhook.failing',
  'link.recording',
  'link.reminder_due',
  'link.closed',
  'project.created',
  'project.updated',
] as const;

/** The event that a test call without a type sends. */
export const TEST_EVENT = 'webhook.test';

export const WEBHOOK_EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS, TEST_EVENT] as const;

/** The events of an owner's feed: all but test events. */
export const FEED_EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];
export type OptionalEvent = (typeof OPTIONAL_EVENTS)[number];

export const isOptionalEvent = (type: string): type is OptionalEvent =>
  (OPTIONAL_EVENTS as readonly string[]).includes(type);

export const isWebhookEvent = (type: string): type is WebhookEventType =>
  (WEBHOOK_EVENTS as readonly string[]).includes(type);
