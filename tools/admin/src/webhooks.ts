import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { Sending, WebhooksOperatorServiceServer } from '@recording-request/proto/operator/v1/webhooks';
import type { WebhooksCommand } from './command.ts';
import type { Report } from './run.ts';
import { timeOf } from './table.ts';

export const RESUME_COMMAND = '"npm run admin -- webhooks resume"';

type Webhooks = Pick<ClientOf<WebhooksOperatorServiceServer>, 'getSending' | 'setSending'>;

/** Pauses or resumes all webhooks, or shows whether they are sent. Fails with a DomainError. */
export async function runWebhooks(webhooks: Webhooks, { name }: WebhooksCommand): Promise<Report> {
  const { sending } =
    name === 'webhooks status'
      ? await webhooks.getSending({})
      : await webhooks.setSending({ paused: name === 'webhooks pause' });
  return report(sending!);
}

const COUNTED_MAX = 10_000;

function report({ paused, since, waiting }: Sending): Report {
  const count = `${waiting.toLocaleString('en')}${waiting >= COUNTED_MAX ? ' or more' : ''}`;
  const line = paused
    ? `webhooks are paused since ${timeOf(since)}: ${count} wait; ${RESUME_COMMAND} sends them`
    : `webhooks are sent: ${count} wait for their next attempt`;
  return { lines: [line], value: { paused, since: since ?? null, waiting } };
}
