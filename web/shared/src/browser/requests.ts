const LIMIT_MS = 20_000;

/** The server refused. `status` is HTTP's; the message is the server's sentence. */
export class Refusal extends Error {
  declare readonly status: number;
  /** Milliseconds that the server asks to wait; 0 where it did not say. */
  declare readonly waitMs: number;
  constructor(status: number, sentence = 'The answer was not understood.', waitMs = 0) {
    super(sentence);
    this.status = status;
    this.waitMs = waitMs;
  }
}

/**
 * fetch with a time limit that covers the body too, which has been read when this resolves. Rejects with what fetch rejects
 * with, or with a Refusal for any status from 400 on.
 */
export async function request(url: string, options: RequestInit = {}, limitMs = LIMIT_MS): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  options.signal?.addEventListener('abort', () => limit.abort());
  try {
    const answer = await fetch(url, { ...options, signal: limit.signal, cache: 'no-store', credentials: 'omit' });
    // A connection can die without a word in the middle of a body, too.
    if (answer.status < 400) return new Response((await answer.text()) || null, answer);
    const body = (await answer.json().catch(() => undefined)) as { error?: string } | undefined;
    throw new Refusal(answer.status, body?.error, 1_000 * (Number(answer.headers.get('retry-after')) || 0));
  } finally {
    clearTimeout(timer);
  }
}
