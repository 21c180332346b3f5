import { createHmac } from 'node:crypto';

const BASE64_SECRET = /^whsec_/;

/** Returns `sha256=<hex HMAC-SHA-256 of the raw body>`. The key is the secret's text in bytes. */
export const serviceSignature = (body: Uint8Array, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/**
 * Returns the value of `webhook-signature` (https://www.standardwebhooks.com): one `v1,<base64>` for each secret, separated by
 * spaces. The key of a `whsec_…` secret is its base64-decoded part; any other secret is its UTF-8 bytes.
 */
export function standardSignature(id: string, timestampSec: number, body: Uint8Array, secrets: string[]): string {
  return secrets
    .map(secret => {
      const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSec}.`).update(body);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}

const keyOf = (secret: string): Buffer =>
  BASE64_SECRET.test(secret) ? Buffer.from(secret.replace(BASE64_SECRET, ''), 'base64') : Buffer.from(secret);
