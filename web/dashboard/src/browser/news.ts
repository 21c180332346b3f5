import { LIMITS } from '@recording-request/contract/limits';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { announce } from '@recording-request/web-shared/browser/texts';
import { type Clip, isUnfinished } from '../clip.ts';
import { count } from '../format.ts';
import { type ClipsPage, isNarrowed, PAGE_SIZE } from '../settings.ts';
import { settings } from './api.ts';
import { listPath, reload } from './clips.ts';
import { elements } from './elements.ts';
import { isLoading, paint } from './grid.ts';
import {
  arrived,
  clips,
  forgetPolled,
  knowPolled,
  list,
  newestFirst,
  PAGES_MAX,
  pollClip,
  pollClips,
  update,
  waiting,
} from './held.ts';

// Shows the clips that arrived since the list was loaded. While the reader is further down the page, nothing moves: new
// clips wait until the reader presses the button.

const SINGLES_MAX = 3;
const HELD_MAX = PAGE_SIZE * PAGES_MAX;

/** The newest known clip, when the list does not begin with the newest. */
let newestSeen: string | undefined;
/** The ids in the last list. */
let listed = idsOf(settings.page);

/**
 * Loads changes or, without `all`, at least unfinished clips. Resolves to false when another list was loading. Rejects
 * like `get`.
 */
export async function refresh(all: boolean): Promise<boolean> {
  if (isLoading()) return false;
  const { query } = list;
  if (!all && query.q.trim()) {
    // A search is expensive, so the page refreshes only unfinished clips, without searching again.
    await refreshUnfinished(new Set());
    return true;
  }
  const page = await pollClips(listPath({ limit: String(reach()) }));
  if (query !== list.query || isLoading()) {
    forgetPolled();
    return false;
  }
  if (page) takeIn(page);
  await refreshUnfinished(listed);
  return true;
}

function idsOf({ submissions }: ClipsPage): Set<string> {
  return new Set(submissions.map(({ submissionId }) => submissionId));
}

function takeIn(page: ClipsPage): void {
  const fresh = page.submissions.filter(({ submissionId }) => isFresh(submissionId));
  for (const clip of page.submissions) update(clip);
  listed = idsOf(page);
  if (!list.older && !isNarrowed(list.query)) dropErased(page);
  newestSeen = page.submissions[0]?.submissionId ?? newestSeen ?? '';
  if (fresh.length > 0) add(fresh, page);
}

function add(fresh: Clip[], page: ClipsPage): void {
  // If every clip in the response is new, there may be more new clips that the page has not loaded yet.
  const gap = fresh.length === page.submissions.length && clips.size > 0 && page.pagination.nextCursor !== null;
  for (const clip of fresh) waiting.set(clip.submissionId, clip);
  const atTop = elements.clips.hidden || elements.grid.getBoundingClientRect().top > 0;
  if (gap || list.older || !atTop) tellWaiting(gap || waiting.size > PAGE_SIZE);
  else showWaiting();
}

function isFresh(id: string): boolean {
  if (clips.has(id) || waiting.has(id)) return false;
  return list.older ? newestSeen !== undefined && id > newestSeen : true;
}

/**
 * Returns the number of newest clips to load so that all unfinished clips are among them, up to the limit of one
 * request.
 */
function reach(): number {
  if (list.older || list.query.q.trim()) return PAGE_SIZE;
  const last = newestFirst().findLastIndex(isUnfinished);
  return Math.min(LIMITS.pageSize, Math.max(PAGE_SIZE, last + 1 + waiting.size));
}

/** Refreshes the first unfinished clips that are not in `known`. */
async function refreshUnfinished(known: Set<string>): Promise<void> {
  const open = newestFirst().filter(clip => isUnfinished(clip) && !known.has(clip.submissionId));
  for (const { submissionId } of open.slice(0, SINGLES_MAX)) {
    try {
      const clip = await pollClip(submissionId);
      if (clip) update(clip);
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 404)) throw error;
      clips.delete(submissionId);
      paint();
    }
  }
}

/** Removes clips that the newest page should contain but does not. */
function dropErased({ submissions, pagination }: ClipsPage): void {
  const oldest = pagination.nextCursor === null ? '' : (submissions.at(-1)?.submissionId ?? '');
  const gone = [...clips.keys()].filter(id => id >= oldest && !listed.has(id));
  for (const id of gone) clips.delete(id);
  if (gone.length > 0) paint();
}

function tellWaiting(many: boolean): void {
  const words = many ? 'new clips' : count(waiting.size, 'new clip');
  elements.showWaiting.textContent = `Show ${words}`;
  elements.showWaiting.dataset.many = String(many);
  elements.waiting.hidden = false;
  announce(`${count(waiting.size, 'new clip')}.`);
  // The clips are loaded again on demand.
  if (many) waiting.clear();
}

/** Adds the new clips at the top. */
function showWaiting(): void {
  announce(`${count(waiting.size, 'new clip')} added.`);
  elements.waiting.hidden = true;
  if (clips.size + waiting.size > HELD_MAX) return void reload();
  for (const [id, clip] of waiting) {
    clips.set(id, clip);
    arrived.add(id);
  }
  waiting.clear();
  paint();
}

export function wireNews(): void {
  if (!list.older) knowPolled(listPath({ limit: String(PAGE_SIZE) }));
  elements.showWaiting.addEventListener('click', ({ currentTarget }) => {
    if ((currentTarget as HTMLElement).dataset.many === 'true' || list.older) void reload();
    else showWaiting();
    elements.clips.scrollIntoView();
    elements.clips.focus({ preventScroll: true });
  });
}
