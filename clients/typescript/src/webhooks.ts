import { SignatureError } from './errors.ts';
import type { WebhookEvent as DescribedEvent, OwnerEvent } from './types.gen.ts';

type Known<Event> = Event extends { type: infer Type } ? (string extends Type ? never : Event) : never;

/** A webhook of a type that this version knows; `type` tells them apart. */
export type KnownWebhookEvent = Known<DescribedEvent>;

/**
 * Stands for the text of a type that a later version added. It is a template, because TypeScript tells the events of a
 * union apart by `type` only if no `type` is a plain string. The real text has no such prefix.
 */
export type UnknownType = `(other) ${string}`;

/** A webhook of a type that a later version added. Acknowledge and ignore it. */
export interface UnknownWebhookEvent {
  id: string;
  type: UnknownType;
  createdAt: string;
  data: Record<string, unknown>;
}

/** A webhook. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;
/** The type of a webhook that this version knows. */
export type WebhookEventType = KnownWebhookEvent['type'];

type FeedOf<Event extends { type: string; data: unknown }> = Event extends unknown
  ? Omit<OwnerEvent, 'type' | 'data'> & { type: Event['type']; data: Event['data'] | null }
  : never;

/** An event of the feed: `data` has the shape of the webhook of this type; null after an erasure. */
export type FeedEvent = FeedOf<Exclude<KnownWebhookEvent, { type: 'webhook.test' }>> | FeedOf<UnknownWebhookEvent>;
/** The type of an event of the feed. */
export type FeedEventType = Exclude<WebhookEventType, 'webhook.test'>;

/** The headers of a request, as Node's HTTP server or as `Headers` has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of `unwrap`. */
export interface UnwrapOptions {
  /** The largest difference between the clocks of the sender and this receiver, in seconds; 300 by default. */
  toleranceSeconds?: number;
}

/** The bytes of a request's body, unchanged, or its text. */
export type RawBody = Uint8Array | string;

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the signature of a webhook and returns its event. `body` is the received body, unchanged: verify it before a
 * framework parses it. `secret` is the `webhookSecret` of the project, or several while you change it; one that is empty
 * or malformed does not count. Throws `SignatureError` if the signature is missing or wrong, or if the request is older
 * than the tolerance.
 */
export async function unwrap(
  body: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures)
    throw new SignatureError(
      'The request has no webhook-id, webhook-timestamp or webhook-signature. Is webhookSecret set in the project?',
    );
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  // A tolerance that is not a number accepts nothing.
  if (!/^\d{1,12}$/.test(timestamp) || !(ageSeconds <= toleranceSeconds))
    throw new SignatureError('The webhook-timestamp is too far from the clock of this computer.');
  const signed = bytesOf(`${id}.${timestamp}.`, body);
  let failure = new SignatureError('The webhook-signature does not fit the body and the secret.');
  for (const each of Array.isArray(secret) ? secret : [secret])
    try {
      if (await isSigned(signed, signatures, each)) return parsed(body);
    } catch (error) {
      // A malformed secret in the list must not cause the refusal of a request that another secret signed.
      if (!(error instanceof SecretError)) throw error;
      failure = error;
    }
  throw failure;
}

/** A webhook to sign. */
export interface WebhookToSign {
  /** The id of the event. */
  id: string;
  /** The type of the event. */
  type: string;
  /** The exact bytes to send. */
  body: RawBody;
  /** The `webhookSecret` of the receiver. */
  secret: string;
  /** The word that the operator uses in the headers' names; `service` by default. */
  prefix?: string;
  /** Seconds since 1970; now by default. */
  timestamp?: number;
}

/** Returns the headers with which the service would sign this body, for tests and for forwarding to a local server. */
export async function sign(webhook: WebhookToSign): Promise<Record<string, string>> {
  const { id, type, body, secret, prefix = 'service', timestamp = Math.floor(Date.now() / 1000) } = webhook;
  const at = String(timestamp);
  const key = await keyOf(keyBytesOf(secret));
  const signature = await crypto.subtle.sign('HMAC', key, bytesOf(`${id}.${at}.`, body));
  const plainKey = await keyOf(encode(secret));
  const plain = new Uint8Array(await crypto.subtle.sign('HMAC', plainKey, bytesOf('', body)));
  return {
    'content-type': 'application/json',
    [`${prefix}-event`]: type,
    [`${prefix}-event-id`]: id,
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${toBase64(new Uint8Array(signature))}`,
    [`${prefix}-signature`]: `sha256=${[...plain].map(byte => byte.toString(16).padStart(2, '0')).join('')}`,
  };
}

/** Verifying webhooks needs no client: `webhooks.unwrap(body, headers, secret)`. */
export const webhooks = {
  /** Verifies a webhook and returns its event. */
  unwrap,
  /** Returns the headers of a signed webhook. */
  sign,
} as const;

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const key = await keyOf(keyBytesOf(secret));
  for (const signature of signatures.split(' ')) {
    const [version, base64 = ''] = signature.split(',');
    const bytes = version === 'v1' ? fromBase64(base64) : undefined;
    // subtle.verify compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return true;
  }
  return false;
}

/** Thrown for a secret that cannot be used. */
class SecretError extends SignatureError {}

function keyBytesOf(secret: string | undefined): Uint8Array<ArrayBuffer> {
  if (!secret) throw new SecretError('The secret is empty.');
  if (!secret.startsWith('whsec_')) return encode(secret);
  const bytes = fromBase64(secret.slice('whsec_'.length));
  if (!bytes?.length) throw new SecretError('The secret after whsec_ is not base64.');
  return bytes;
}

const keyOf = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function bytesOf(prefix: string, body: RawBody): Uint8Array<ArrayBuffer> {
  const [head, tail] = [encode(prefix), typeof body === 'string' ? encode(body) : body];
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

function parsed(body: RawBody): WebhookEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw new SignatureError('The body is signed but is not JSON.');
  }
  if (typeof event === 'object' && event !== null) return event as WebhookEvent;
  throw new SignatureError('The body is signed but is not an event.');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
