/** The body that owners' endpoints receive. The service makes the bytes once, and each retry sends the same bytes. */
import type { EventLinkJson } from './resources/recipient.ts';
import type { SubmissionJson } from './resources/submission.ts';
import type { WebhookEventType } from './webhook-events.ts';

/** The content of an event, in addition to its project. */
export type WebhookSubject =
  | { type: Exclude<WebhookEventType, OtherSubject['type']>; submission: SubmissionJson }
  | OtherSubject;

type OtherSubject =
  | { type: 'link.recording'; link: EventLinkJson; responseSessionId: string }
  | { type: 'link.reminder_due'; link: EventLinkJson; number: number; stopUrl: string | null }
  | { type: 'link.closed'; link: EventLinkJson }
  | { type: 'project.created' }
  | { type: 'project.updated'; changed: string[] }
  | { type: 'webhook.test' }
  | { type: 'response.completed'; response: { responseSessionId: string; tokenId: string; submissionIds: string[] } }
  | { type: 'submission.erased'; submissionId: string; erasedAt: Date }
  | {
      type: 'webhook.failing';
      failingSince: Date;
      lastStatusCode: number | null;
      lastError: string;
      unsentEvents: number;
    };

export interface WebhookHead {
  /** UUIDv7, the same on each retry. */
  id: string;
  createdAt: Date;
  projectId: string;
  projectName: string;
  /** Whether the project is a sandbox. */
  sandbox: boolean;
}

/** The fields of every body. resources/webhook-event.ts has the fields of each type. */
export interface WebhookBodyJson {
  id: string;
  type: string;
  createdAt: string;
  data: { projectId: string; projectName: string; submission: SubmissionJson | null; sandbox: boolean };
}

export function webhookBody(head: WebhookHead, subject: WebhookSubject): WebhookBodyJson {
  const { id, createdAt, projectId, projectName, sandbox } = head;
  const data = { projectId, projectName, ...dataOf(subject), sandbox };
  return { id, type: subject.type, createdAt: createdAt.toISOString(), data };
}

function dataOf(subject: WebhookSubject) {
  switch (subject.type) {
    case 'webhook.test':
    case 'project.created':
      return { submission: null };
    case 'project.updated':
      return { submission: null, changed: subject.changed };
    case 'link.recording':
      return { submission: null, link: subject.link, responseSessionId: subject.responseSessionId };
    case 'link.reminder_due': {
      const { link, number, stopUrl } = subject;
      return { submission: null, link, number, stopUrl };
    }
    case 'link.closed':
      return { submission: null, link: subject.link };
    case 'response.completed':
      return { submission: null, response: subject.response };
    case 'submission.erased':
      return { submission: null, submissionId: subject.submissionId, erasedAt: subject.erasedAt.toISOString() };
    case 'webhook.failing': {
      const { type: _, failingSince, ...failure } = subject;
      return { submission: null, failingSince: failingSince.toISOString(), ...failure };
    }
    default:
      return { submission: subject.submission };
  }
}
