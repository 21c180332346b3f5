import { webhookBody } from '@recording-request/contract/webhook';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { SendTestRequest, SendTestResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Targets } from '../adapters/targets.ts';
import { currentTrace } from '../adapters/trace.ts';
import { TEST_EVENT } from '../domain/delivery.ts';
import type { Store } from '../store/store.ts';
import type { Dispatcher } from '../workflows/dispatch.ts';
import { presentDelivery } from './delivery-messages.ts';
import { uuid } from './require-uuid.ts';

/** Sends a test event and answers with what came of it. One at a time for each project. */
export function sendTest(deps: { store: Store; targets: Targets; dispatcher: Dispatcher; leaseMs: number }) {
  const { store, targets, dispatcher, leaseMs } = deps;
  const underWay = new Set<string>();

  async function run(projectId: string): Promise<SendTestResponse> {
    const target = await targets.of(projectId);
    if (!target) throw new DomainError('not_found', 'There is no such project.');
    if (target.url === '') throw new DomainError('conflict', 'The project has no webhookUrl; set one first.');
    const id = uuidv7();
    const createdAt = new Date();
    const event = { id, type: TEST_EVENT, createdAt, projectId, projectName: target.projectName, submission: null };
    const body = Buffer.from(JSON.stringify(webhookBody(event)));
    const trace = currentTrace({ traceparent: '', tracestate: '' });
    const claimed = await store.queue.insertClaimed(
      { id, projectId, submissionId: '', eventType: TEST_EVENT, createdAt, body, ...trace },
      new Date(createdAt.getTime() + leaseMs),
    );
    const { resumed } = await dispatcher.sendNow(claimed, target);
    if (resumed) dispatcher.wake();
    const delivery = await store.ledger.get(projectId, id);
    return { delivery: delivery && presentDelivery(delivery) };
  }

  return async (request: SendTestRequest): Promise<SendTestResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    if (underWay.has(projectId))
      throw new DomainError('too_many', 'A test event of this project is being sent; wait for its answer.');
    underWay.add(projectId);
    try {
      return await run(projectId);
    } finally {
      underWay.delete(projectId);
    }
  };
}
