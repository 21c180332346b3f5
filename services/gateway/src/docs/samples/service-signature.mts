// service-signature.mts
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of a request by their lower-case names, as Node and its frameworks provide them. */
type Headers = Record<string, string | string[] | undefined>;

/** Returns whether one of the secrets signed the request. body: the received bytes, unchanged. */
export function isSigned(body: Buffer, headers: Headers, ...secrets: string[]): boolean {
  const given = Buffer.from(String(headers['service-signature'] ?? ''));
  return secrets.some(secret => {
    const made = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    return given.length === made.length && timingSafeEqual(given, made);
  });
}
