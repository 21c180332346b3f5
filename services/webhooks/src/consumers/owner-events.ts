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

/** Consumes the optional events. Webhooks send them only for projects that subscribe to them. */
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
  const owned = submission!;
  if (!withoutTexts) return aboutSubmission(context, type, owned);
  return aboutSubmission(context, type, owned, async () => {
    const texts = await context.transcripts.of(owned, signal);
    return texts && { ...owned, ...texts };
  });
}

const ofResponse = ({ projectId, responseSessionId, linkId, submissionIds }: ResponseCompleted): Fact => ({
  type: 'response.completed',
  projectId,
  // The event contains nothing that a contributor recorded, so erasing one submission does not change it.
  submissionId: '',
  tokenId: linkId,
  subject: () => ({ type: 'response.completed', response: { responseSessionId, tokenId: linkId, submissionIds } }),
});

const ofErasure = ({ projectId, submissionId, erasedAt }: SubmissionErasure): Fact => ({
  type: 'submission.erased',
  projectId,
  submissionId: '',
  erasedSubmissionId: submissionId,
  subject: () => ({ type: 'submission.erased', submissionId, erasedAt: erasedAt! }),
});
