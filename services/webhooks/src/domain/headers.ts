import { serviceSignature, standardSignature } from './signature.ts';

const USER_AGENT = 'Recording-Request-Webhooks/1.0';

/**
 * Returns the headers of one attempt. `secrets` are newest first. The service's own signature uses the newest secret;
 * the standard signature has one value for each secret, so a receiver may switch at any time during a rotation. Without
 * a secret there is no signature.
 */
export function attemptHeaders(
  event: { id: string; type: string; body: Uint8Array; isTest?: boolean },
  secrets: string[],
  options: { prefix: string; at: Date },
): Record<string, string> {
  const timestampSec = Math.floor(options.at.getTime() / 1000);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    [`${options.prefix}-event`]: event.type,
    [`${options.prefix}-event-id`]: event.id,
    'webhook-id': event.id,
    'webhook-timestamp': String(timestampSec),
  };
  if (event.isTest) headers[`${options.prefix}-test`] = 'true';
  const [newest] = secrets;
  if (newest === undefined) return headers;
  headers[`${options.prefix}-signature`] = serviceSignature(event.body, newest);
  headers['webhook-signature'] = standardSignature(event.id, timestampSec, event.body, secrets);
  return headers;
}
