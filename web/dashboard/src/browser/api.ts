import type { DashboardSettings } from '../settings.ts';
import { byId } from './dom.ts';

/** The dashboard's own path: every request of it goes below. */
export const here = location.pathname.replace(/\/+$/, '');

export const settings = JSON.parse(byId('settings').textContent ?? '') as DashboardSettings;
export const { projectId } = settings.overview.project;

const LIMIT_MS = 20_000;

/** The server said no. `status` is HTTP's; the message is the server's sentence. */
export class Refusal extends Error {
  readonly status: number;
  /** Milliseconds that the server asks to wait; 0 where it did not say. */
  readonly waitMs: number;
  constructor(status: number, sentence: string, waitMs: number) {
    super(sentence);
    this.status = status;
    this.waitMs = waitMs;
  }
}

/** fetch with a bound, also for the body, which has been read when this resolves; rejects with what fetch rejects with, or a Refusal for any status from 400 on. */
export async function request(url: string, options: RequestInit = {}): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), LIMIT_MS);
  options.signal?.addEventListener('abort', () => limit.abort());
  try {
    const answer = await fetch(url, { ...options, signal: limit.signal, cache: 'no-store', credentials: 'omit' });
    // A connection can die without a word in the middle of a body, too.
    if (answer.status < 400) return new Response((await answer.text()) || null, answer);
    const body = (await answer.json().catch(() => undefined)) as { error?: string } | undefined;
    const wait = Number(answer.headers.get('retry-after')) || 0;
    throw new Refusal(answer.status, body?.error ?? 'The answer was not understood.', wait * 1000);
  } finally {
    clearTimeout(timer);
  }
}

export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await request(here + path, { signal })).json() as Promise<T>;

/** A question that is asked again and again: undefined while the answer stays the same. */
export function poller<T>(path: string): () => Promise<T | undefined> {
  let etag = '';
  return async () => {
    const answer = await request(here + path, etag ? { headers: { 'if-none-match': etag } } : {});
    if (answer.status === 304) return undefined;
    const body = (await answer.json()) as T;
    etag = answer.headers.get('etag') ?? '';
    return body;
  };
}

/** A sentence for whoever looks at the page. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return navigator.onLine ? 'The service could not be reached.' : 'You are offline.';
}
