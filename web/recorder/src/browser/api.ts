import { base } from './page.ts';

/** Why a take was refused. */
export type RefusalCode = 'not_video' | 'too_long' | 'too_large' | 'answered';

export interface UploadState {
  uploadId: string;
  state: 'uploading' | 'finishing' | 'landed' | 'refused';
  incomplete: boolean;
  errorCode: RefusalCode | null;
}

export interface Answer {
  questionIndex: number | null;
  submissionId: string | null;
  uploads: UploadState[];
}

/** One contributor's pass through the link, as `POST …/responses` tells it. */
export interface Response {
  responseSessionId: string;
  maxDurationSec: number;
  questions: string[];
  answers: Answer[];
  complete: boolean;
  thankYouUrl: string | null;
}

/** The server said no. `status` is HTTP's; the message is the server's sentence. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const LIMIT_MS = 20_000;

/** fetch with a bound, also for the body, which has been read when this resolves; rejects with what fetch rejects with, or a Refusal for any status from 400 on. */
export async function request(url: string, options: RequestInit, limitMs = LIMIT_MS): Promise<globalThis.Response> {
  const limit = new AbortController();
  const timer = window.setTimeout(() => limit.abort(), limitMs);
  try {
    const answer = await fetch(url, { ...options, signal: limit.signal, cache: 'no-store', credentials: 'omit' });
    // A connection can die without a word in the middle of a body, too.
    if (answer.status < 400) return new globalThis.Response((await answer.text()) || null, answer);
    const body = (await answer.json().catch(() => undefined)) as { error?: string } | undefined;
    throw new Refusal(answer.status, body?.error ?? '');
  } finally {
    window.clearTimeout(timer);
  }
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const options: RequestInit = { method };
  if (body !== undefined) {
    options.headers = { 'content-type': 'application/json' };
    options.body = JSON.stringify(body);
  }
  return (await request(base + path, options)).json() as Promise<T>;
}

/** Claims a use of the link; the same id again goes on with the same response. */
export const beginResponse = (responseSessionId: string, termsAccepted: boolean): Promise<Response> =>
  json('POST', '/responses', { responseSessionId, termsAccepted });

export const getResponse = (responseSessionId: string): Promise<Response> =>
  json('GET', `/responses/${responseSessionId}`);

export const setNote = (responseSessionId: string, note: string): Promise<Response> =>
  json('PATCH', `/responses/${responseSessionId}`, { note });

/** Opening a page changes nothing; the first touch or key does. */
export function reportFirstTouch(): void {
  const touched = () => {
    for (const kind of ['pointerdown', 'keydown']) removeEventListener(kind, touched);
    fetch(`${base}/opened`, { method: 'POST', keepalive: true }).catch(() => {});
  };
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, touched);
}

/** Whether the same request may succeed later: the network, a server that is down, a lock, or a use that may be given back. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof Refusal) || error.status >= 500 || [408, 409, 423, 425, 429].includes(error.status);
}
