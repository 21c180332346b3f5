/** The body that owners' endpoints get. Its bytes are made once and sent again as they are on each retry. */
import type { SubmissionJson } from './resources/submission.ts';

export interface WebhookEvent {
  /** UUIDv7, the same on each retry. */
  id: string;
  /** `submission.completed`, `submission.transcript.completed`, `submission.transcript.failed`, or a test event. */
  type: string;
  createdAt: Date;
  projectId: string;
  projectName: string;
  /** null in a test event, which is about no submission. */
  submission: SubmissionJson | null;
}

export interface WebhookBodyJson {
  id: string;
  type: string;
  createdAt: string;
  data: { projectId: string; projectName: string; submission: SubmissionJson | null };
}

export function webhookBody(event: WebhookEvent): WebhookBodyJson {
  return {
    id: event.id,
    type: event.type,
    createdAt: event.createdAt.toISOString(),
    data: { projectId: event.projectId, projectName: event.projectName, submission: event.submission },
  };
}
