import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type {
  Event,
  ResponseCompleted,
  SubmissionErasure,
  SubmissionMedia,
} from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { aboutSubmission, type Fact, recordEvent } from '../workflows/record-event.ts';

const JOB_LIMIT_MS = 20_000;

/** Consumes the events that are only for owners, and only for those who ask for them. */
export function consumeOwnerEvents(context: Context): Promise<Consumer> {
  return context.kafka.consume({
    topic: 'webhooks.events',
    group: 'webhooks-events',
    concurrency: context.config.consumers,
    jobLimitMs: JOB_LIMIT_MS,
    async handle(event, { signal }) {
      const fact = factOf(context, event, signal);
      if (fact) await recordEvent(context, event, fact);
    },
  });
}

function factOf(context: Context, { type, payload }: Event, signal: AbortSignal): Fact | undefined {
  switch (payload?.$case) {
    case 'submissionMedia':
      return ofMedia(context, type, payload.value, signal);
    case 'responseCompleted':
      return ofResponse(payload.value);
    case 'submissionErasure':
      return ofErasure(payload.value);
    default:
      return undefined;
  }
}

function ofMedia(
  context: Context,
  type: string,
  { submission, withoutTexts }: SubmissionMedia,
  signal: AbortSignal,
): Fact {
  const told = submission!;
  if (!withoutTexts) return aboutSubmission(context, type, told);
  return aboutSubmission(context, type, told, async () => {
    const texts = await context.transcripts.of(told, signal);
    return texts && { ...told, ...texts };
  });
}

const ofResponse = ({ projectId, responseSessionId, linkId, submissionIds }: ResponseCompleted): Fact => ({
  type: 'response.completed',
  projectId,
  // It has nothing of what was said: the erasure of one answer leaves it as it is.
  submissionId: '',
  subject: () => ({ type: 'response.completed', response: { responseSessionId, tokenId: linkId, submissionIds } }),
});

const ofErasure = ({ projectId, submissionId, erasedAt }: SubmissionErasure): Fact => ({
  type: 'submission.erased',
  projectId,
  submissionId: '',
  erasedSubmissionId: submissionId,
  subject: () => ({ type: 'submission.erased', submissionId, erasedAt: erasedAt! }),
});
