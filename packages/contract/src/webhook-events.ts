/** The events that come to every project with a `webhookUrl`. */
export const STANDARD_EVENTS = [
  'submission.completed',
  'submission.transcript.completed',
  'submission.transcript.failed',
] as const;

/** The events that a project asks for by `webhookEvents`. */
export const OPTIONAL_EVENTS = [
  'submission.media.completed',
  'submission.media.failed',
  'response.completed',
  'submission.erased',
] as const;

export type StandardEvent = (typeof STANDARD_EVENTS)[number];
export type OptionalEvent = (typeof OPTIONAL_EVENTS)[number];

export const isOptionalEvent = (type: string): type is OptionalEvent =>
  (OPTIONAL_EVENTS as readonly string[]).includes(type);
