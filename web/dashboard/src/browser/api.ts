import { pagePath, readSettings } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';
import type { DashboardSettings } from '../settings.ts';

export const settings = readSettings<DashboardSettings>();
export const { projectId } = settings.overview.project;

/** Asks for JSON below the page's own path. Rejects as `request` does. */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await request(pagePath + path, { signal })).json() as Promise<T>;

/** Asks the same again and again; each call resolves to undefined while the answer stays the same. */
export function poller<T>(path: string): () => Promise<T | undefined> {
  let etag = '';
  return async () => {
    const answer = await request(pagePath + path, etag ? { headers: { 'if-none-match': etag } } : {});
    if (answer.status === 304) return undefined;
    const body = (await answer.json()) as T;
    etag = answer.headers.get('etag') ?? '';
    return body;
  };
}

/** A sentence for the reader of the page. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return navigator.onLine ? 'The service could not be reached.' : 'You are offline.';
}
