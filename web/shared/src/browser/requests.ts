const LIMIT_MS = 20_000;

/** The server refused a request. `status` is the HTTP status; the message is the server's sentence. */
export class Refusal extends Error {
  declare readonly status: number;
  /** The wait that the server requests, in milliseconds; 0 for none. */
  declare readonly waitMs: number;
  constructor(status: number, sentence = 'The answer was not understood.', waitMs = 0) {
    super(sentence);
    this.status = status;
    this.waitMs = waitMs;
  }
}

/**
 * Sends a request with a time limit and reads the whole body before it resolves. Rejects like `fetch`, and with a
 * Refusal for a status of 400 or more.
 */
export async function request(url: string, options: RequestInit = {}, limitMs = LIMIT_MS): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  options.signal?.addEventListener('abort', () => limit.abort());
  try {
    const answer = await fetch(url, { ...options, signal: limit.signal, cache: 'no-store', credentials: 'omit' });
    // Reads the body here, because a connection can also hang in the middle of a body.
    if (answer.status < 400) return new Response((await answer.text()) || null, answer);
    const body = (await answer.json().catch(() => undefined)) as { error?: string } | undefined;
    throw new Refusal(answer.status, body?.error, 1_000 * (Number(answer.headers.get('retry-after')) || 0));
  } finally {
    clearTimeout(timer);
  }
}
