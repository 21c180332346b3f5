import { LIMITS } from '@recording-request/contract/limits';
import type { DashboardLinksJson } from '@recording-request/contract/resources/dashboard';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { get } from '../api.ts';
import { pause } from './pause.ts';
import { type Person, personOf } from './person.ts';

// The people that this tab has loaded. The database cannot sort or search names, because it holds them sealed; so the
// tab loads all pages and does both. docs/decisions/0081-invitations.md.

/** Each press of “Load more people” raises the number of people by this much. */
const STEP = 20_000;
const TRIES = 4;

/** The people by link, in the order of creation. */
export const people = new Map<string, Person>();
/** The cursor of each page; null for the first one. */
const cursors: (string | null)[] = [];
/** The cursor of the next page that was never loaded; undefined after the last one. */
let next: string | null | undefined = null;
let most = STEP;

/** True if the project has people beyond the bound. */
export const hasMore = (): boolean => next !== undefined && people.size >= most;
/** True if everybody is loaded. */
export const isWhole = (): boolean => next === undefined;

export function raiseBound(): void {
  most = people.size + STEP;
}

export function forgetPeople(): void {
  people.clear();
  cursors.length = 0;
  next = null;
  most = STEP;
}

/** Loads a page. Waits and tries again if the service is busy. Rejects like `get`. */
async function load(cursor: string | null, signal: AbortSignal): Promise<DashboardLinksJson> {
  const query = new URLSearchParams({ limit: String(LIMITS.linkPageSize), ...(cursor !== null && { cursor }) });
  for (let attempt = 1; ; attempt++) {
    try {
      return await get<DashboardLinksJson>(`/links?${query}`, signal);
    } catch (error) {
      if (!(error instanceof Refusal) || error.waitMs === 0 || attempt === TRIES) throw error;
      await pause(error.waitMs, signal);
    }
  }
}

function keep(page: DashboardLinksJson, index: number): void {
  for (const link of page.recipientUrls) {
    const known = people.get(link.tokenId);
    people.set(link.tokenId, personOf(link, known?.number ?? people.size + 1, known?.page ?? index));
  }
}

/**
 * Loads the people that were never loaded, up to the bound. Calls `onPage` after each page. Keeps the loaded pages if
 * it rejects; the next call then continues.
 */
export async function loadRest(signal: AbortSignal, onPage: () => void): Promise<void> {
  while (next !== undefined && people.size < most) {
    const cursor = next;
    const page = await load(cursor, signal);
    if (signal.aborted) return;
    keep(page, cursors.length);
    cursors.push(cursor);
    next = page.pagination.nextCursor ?? undefined;
    onPage();
  }
}

/** Loads the pages again that have these people, or all loaded pages; then the people who were added meanwhile. */
export async function loadAgain(
  signal: AbortSignal,
  onPage: () => void,
  ids: Iterable<string> = people.keys(),
): Promise<void> {
  const pages = new Set<number>();
  for (const id of ids) pages.add(people.get(id)?.page ?? 0);
  // The last page may have grown.
  const last = cursors.length - 1;
  if (isWhole()) pages.add(last);
  for (const index of [...pages].sort((a, b) => a - b)) {
    const page = await load(cursors[index] ?? null, signal);
    if (signal.aborted) return;
    keep(page, index);
    if (index === last) next = page.pagination.nextCursor ?? undefined;
    onPage();
  }
  await loadRest(signal, onPage);
}
