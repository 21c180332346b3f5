import { LIMITS } from './limits.ts';

const PREFIX = 'whsec_';
const CONTROL = /(?![\s\u0080-\u009f])\p{Cc}/u;

/**
 * Returns whether a text can be a webhook secret. The Standard Webhooks libraries decode a secret that begins with
 * `whsec_`. They decode text that is not padded base64 in different ways, so sender and receiver would have different
 * keys.
 */
export function isWebhookSecret(text: string): boolean {
  if (CONTROL.test(text)) return false;
  if (!text.startsWith(PREFIX)) return true;
  const encoded = text.slice(PREFIX.length);
  return encoded !== '' && Buffer.from(encoded, 'base64').toString('base64') === encoded;
}

/** The end of the error sentence about an invalid secret, after the field's name. */
export const WEBHOOK_SECRET_RULE = `must have at most ${LIMITS.webhookSecretLength} characters, no control characters but white space, and after whsec_ base64 with its padding, such as \`echo "whsec_$(head -c 32 /dev/urandom | base64)"\` prints; to use any other text, leave out whsec_`;
