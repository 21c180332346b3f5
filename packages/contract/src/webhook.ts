/** The body that owners' endpoints get. Its bytes are made once and sent again as they are on each retry. */
import type { SubmissionJson } from './resources/submission.ts';
import type { WebhookEventType } from './webhook-events.ts';

/** What an event tells beside its project. */
export type WebhookSubject =
  | { type: Exclude<WebhookEventType, 'response.completed' | 'submission.erased'>; submission: SubmissionJson }
  | { type: 'webhook.test' }
  | { type: 'response.completed'; response: { responseSessionId: string; tokenId: string; submissionIds: string[] } }
  | { type: 'submission.erased'; submissionId: string; erasedAt: Date };

export interface WebhookHead {
  /** UUIDv7, the same on each retry. */
  id: string;
  createdAt: Date;
  projectId: string;
  projectName: string;
}

/** What every body has; resources/webhook-event.ts tells what each type adds. */
export interface WebhookBodyJson {
  id: string;
  type: string;
  createdAt: string;
  data: { projectId: string; projectName: string; submission: SubmissionJson | null };
}

export function webhookBody(head: WebhookHead, subject: WebhookSubject): WebhookBodyJson {
  const { id, createdAt, projectId, projectName } = head;
  const data = { projectId, projectName, ...dataOf(subject) };
  return { id, type: subject.type, createdAt: createdAt.toISOString(), data };
}

function dataOf(subject: WebhookSubject) {
  switch (subject.type) {
    case 'webhook.test':
      return { submission: null };
    case 'response.completed':
      return { submission: null, response: subject.response };
    case 'submission.erased':
      return { submission: null, submissionId: subject.submissionId, erasedAt: subject.erasedAt.toISOString() };
    default:
      return { submission: subject.submission };
  }
}
