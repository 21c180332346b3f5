// service-signature.ts
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of a request by their lower-case names, as Node and its frameworks give them. */
type Headers = Record<string, string | string[] | undefined>;

/** Whether one of the secrets signed it. body: the bytes as they came. */
export function isSigned(body: Buffer, headers: Headers, ...secrets: string[]): boolean {
  const given = Buffer.from(String(headers['service-signature'] ?? ''));
  return secrets.some(secret => {
    const made = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    return given.length === made.length && timingSafeEqual(given, made);
  });
}
