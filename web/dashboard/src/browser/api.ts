import { pagePath, readSettings } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';
import type { DashboardSettings } from '../settings.ts';

export const settings = readSettings<DashboardSettings>();
export const { projectId } = settings.overview.project;

/** Loads JSON below the page's own path. Rejects like `request`. */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await request(pagePath + path, { signal })).json() as Promise<T>;

const KNOWN_MAX = 8;

/** Polls data that seldom changes. */
export class Poller {
  private readonly etags = new Map<string, string>();

  /** Resolves to undefined if the data has not changed. Rejects like `get`. */
  async poll<T>(path: string): Promise<T | undefined> {
    const known = this.etags.get(path);
    const answer = await request(pagePath + path, known ? { headers: { 'if-none-match': known } } : {});
    if (answer.status === 304) return undefined;
    const body = (await answer.json()) as T;
    this.know(path, answer.headers.get('etag'));
    return body;
  }

  know(path: string, etag: string | null): void {
    if (this.etags.size >= KNOWN_MAX) this.etags.clear();
    if (etag) this.etags.set(path, etag);
  }

  /** Forgets the last HTTP response, because the page now shows other data. */
  forget(): void {
    this.etags.clear();
  }
}

/** Returns the sentence about an error for the page's reader. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return navigator.onLine ? 'The service could not be reached.' : 'You are offline.';
}
