import { answerId } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { recordEvent } from './record-event.ts';

const TYPE = 'webhook.failing';

/**
 * Records the event about an endpoint that has failed for `failingAfterMs`. Records it
 * once for each period of failures: the event's id depends only on the project and the start of the period. The event
 * waits like any other until the endpoint accepts it.
 */
export async function recordFailing(context: Context, endpoint: Endpoint): Promise<void> {
  const { config, clock, store } = context;
  const { projectId, failingSince, failureReported, lastStatusCode, lastError } = endpoint;
  if (!failingSince || failureReported) return;
  const now = clock.now();
  if (now.getTime() - failingSince.getTime() < config.failingAfterMs) return;
  const id = answerId(projectId, `${TYPE} ${failingSince.toISOString()}`);
  await recordEvent(
    context,
    { id, occurredAt: now, traceparent: '', tracestate: '' },
    {
      ...{ type: TYPE, projectId, submissionId: '' },
      subject: async () => ({
        ...{ type: TYPE, failingSince, lastStatusCode: lastStatusCode || null, lastError: lastError ?? '' },
        unsentEvents: await store.ledger.countUnsent(projectId),
      }),
    },
  );
  await store.endpoints.failureReported(projectId, failingSince);
}
