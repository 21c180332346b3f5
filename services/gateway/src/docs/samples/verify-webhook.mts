// verify-webhook.mts; npm install standardwebhooks
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The headers of a request by their lower-case names, as Node and its frameworks provide them. */
export type Headers = Record<string, string | string[] | undefined>;

/** Returns the event; undefined if its signature is not valid. body: the received bytes, unchanged. */
export function eventOf(body: Buffer, headers: Headers, secret: string) {
  const webhook = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' });
  try {
    const event = webhook.verify(body, headers as Record<string, string>);
    return event as { id: string; type: string; createdAt: string; data: Record<string, unknown> };
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}
