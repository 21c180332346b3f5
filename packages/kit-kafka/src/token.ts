import { request as plain } from 'node:http';
import { Agent, request as secure } from 'node:https';
import { readSecret, type Secret } from '@recording-request/kit/secret-file';
import { tlsContext, tlsFault } from '@recording-request/kit/tls-files';
import type { KafkaSettings } from './variables.ts';

/** The token endpoint refuses the client or returns no token, or Kafka refuses the token. A retry cannot help. */
export class TokenRefusedError extends Error {
  override name = 'TokenRefusedError';
}

interface Token {
  value: string;
  /** Expiry in milliseconds of `performance.now()`; 0 when the endpoint does not report it. */
  endsAt: number;
}

// The minimum remaining validity of a token for a login. kafkajs logs in again 10 s before the broker would close the
// connection.
const LEFT_MS = 60_000;
// Shorter than the time that kafkajs allows for a login.
const ANSWER_MS = 8_000;
const ANSWER_BYTES = 65_536;

/**
 * Returns a function that gets a token for each login. It reads the token's file again, or keeps the endpoint's token
 * until the token is about to expire.
 */
export function tokenSource(settings: KafkaSettings): () => Promise<string> {
  const { kafkaOauthTokenFile: file } = settings;
  if (file) return async () => readSecret(file, 'KAFKA_OAUTH_TOKEN_FILE');
  const ask = endpoint(settings);
  let kept: Token | undefined;
  let asking: Promise<Token> | undefined;
  return async () => {
    if (kept && kept.endsAt - performance.now() > LEFT_MS) return kept.value;
    // Connections that log in at the same time share one request.
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    kept = await asking;
    return kept.value;
  };
}

/** The client-credentials flow of OAuth 2 (RFC 6749, section 4.4). */
function endpoint(settings: KafkaSettings): () => Promise<Token> {
  const { kafkaOauthTokenUrl: url, kafkaOauthClientId: id = '', kafkaOauthScope: scope } = settings;
  const password: Secret = settings.kafkaOauthClientSecret ?? (() => '');
  const context = url.startsWith('https:') ? tlsContext({ ca: settings.kafkaOauthCaFile }) : undefined;
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }).toString();
  return async () => {
    const login = Buffer.from(`${encoded(id)}:${encoded(password())}`).toString('base64');
    const requestedAt = performance.now();
    const { status, body } = await post(url, { form, authorization: `Basic ${login}`, context: context?.() }).catch(
      error => {
        const known = settings.kafkaOauthCaFile ? 'KAFKA_OAUTH_CA_FILE' : 'Node’s own list: set KAFKA_OAUTH_CA_FILE';
        const fault = tlsFault(error, 'KAFKA_OAUTH_TOKEN_URL', known);
        throw fault ? new TokenRefusedError(fault) : new Error(`KAFKA_OAUTH_TOKEN_URL gives no answer (${error.code})`);
      },
    );
    if (status >= 500 || status === 429) throw new Error(`KAFKA_OAUTH_TOKEN_URL answers ${status}`);
    if (status !== 200)
      throw new TokenRefusedError(
        `KAFKA_OAUTH_TOKEN_URL answers ${status}: look at KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.`,
      );
    return tokenIn(body, requestedAt);
  };
}

function tokenIn(body: string, requestedAt: number): Token {
  let answer: { access_token?: unknown; expires_in?: unknown } = {};
  try {
    answer = JSON.parse(body) ?? {};
  } catch {
    // An answer that is not JSON counts as an answer without a token.
  }
  const { access_token: value, expires_in: seconds } = answer;
  if (typeof value !== 'string' || value === '')
    throw new TokenRefusedError('KAFKA_OAUTH_TOKEN_URL answers without an access_token.');
  return { value, endsAt: Number(seconds) > 0 ? requestedAt + Number(seconds) * 1000 : 0 };
}

// RFC 6749, section 2.3.1: the id and the secret are encoded as in a form before they are joined.
const encoded = (text: string): string => new URLSearchParams({ _: text }).toString().slice(2);

interface Post {
  form: string;
  authorization: string;
  context: ReturnType<ReturnType<typeof tlsContext>> | undefined;
}

/** Avoids `fetch`, which needs another package to use other authorities. Does not follow redirects. */
async function post(url: string, { form, authorization, context }: Post): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const headers = {
    authorization,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  };
  const options = { method: 'POST', headers, signal: AbortSignal.timeout(ANSWER_MS) };
  const call = context
    ? secure(url, { ...options, agent: new Agent({ secureContext: context }) })
    : plain(url, { ...options, agent: false });
  call.on('error', reject).on('response', answer => {
    let body = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
      if (body.length > ANSWER_BYTES) answer.destroy(new Error('too long an answer'));
    });
    answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
  });
  call.end(form);
  return await promise;
}
