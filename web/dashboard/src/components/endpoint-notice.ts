import type { WebhookEndpointJson } from '@recording-request/contract/resources/webhook-delivery';
import { type ComponentChildren, h } from 'preact';
import { time } from './time.ts';

const HOW_TO_RESUME =
  'Fix the endpoint; then set webhookUrl again or send a test event. Events are kept and sent then.';

/** Renders the notice about an endpoint that fails or is paused; undefined for one that accepts events. */
export function endpointNotice(endpoint: WebhookEndpointJson | null): ComponentChildren {
  const { failingSince = null, pausedAt = null, lastError = null } = endpoint ?? {};
  if (!failingSince && !pausedAt) return undefined;
  return h(
    'p',
    null,
    pausedAt ? 'Webhook events are paused since ' : 'Webhook events have not been accepted since ',
    time(pausedAt ?? failingSince),
    lastError && `; last attempt: ${lastError}`,
    `. ${HOW_TO_RESUME}`,
  );
}
