import { pagePath } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';
import type { Response } from '../state/state.ts';

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const options: RequestInit = { method };
  if (body !== undefined) {
    options.headers = { 'content-type': 'application/json' };
    options.body = JSON.stringify(body);
  }
  return (await request(pagePath + path, options)).json() as Promise<T>;
}

/** Claims a use of the link. A repeated id continues the same response. */
export const beginResponse = (
  responseSessionId: string,
  termsAccepted: boolean,
  reference: string,
): Promise<Response> =>
  json('POST', '/responses', { responseSessionId, termsAccepted, ...(reference && { reference }) });

export const getResponse = (responseSessionId: string): Promise<Response> =>
  json('GET', `/responses/${responseSessionId}`);

export const getQuestions = (): Promise<{ questions: string[] }> => json('GET', '/questions');

export const setNote = (responseSessionId: string, note: string): Promise<Response> =>
  json('PATCH', `/responses/${responseSessionId}`, { note });

/**
 * Returns whether the link may take another response. Returns true when the server cannot answer now, because the claim
 * will decide.
 */
export const takesMore = (): Promise<boolean> => request(pagePath, { method: 'HEAD' }).then(() => true, isTransient);

/** Reports the first touch or key. Loading the page changes nothing on the server. */
export function reportFirstTouch(): void {
  const touched = () => {
    for (const kind of ['pointerdown', 'keydown']) removeEventListener(kind, touched);
    fetch(`${pagePath}/opened`, { method: 'POST', keepalive: true }).catch(() => {});
  };
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, touched);
}

/**
 * Returns whether a retry may succeed: after a network error, while a server is down, during a lock, or when a claimed
 * use may become free.
 */
export function isTransient(error: unknown): boolean {
  return !(error instanceof Refusal) || error.status >= 500 || [408, 409, 423, 425, 429].includes(error.status);
}
