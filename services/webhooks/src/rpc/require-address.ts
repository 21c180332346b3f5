import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';

/** Fails with `conflict` when the project has no webhookUrl, because a redelivery would fail and pause the endpoint. */
export async function requireAddress({ targets }: Pick<Context, 'targets'>, projectId: string): Promise<void> {
  const target = await targets.of(projectId);
  if (target?.url === '')
    throw new DomainError('conflict', 'The project has no webhookUrl; set one first.', {
      reason: 'webhook_url_missing',
    });
}
