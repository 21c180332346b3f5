import { type Clip, isUnfinished, pickFields } from '../clip.ts';
import { responsesOf } from '../components/response.ts';
import { hasWords, wordsOf } from '../search.ts';
import type { ClipsPage, Query } from '../settings.ts';
import { get, Poller, settings } from './api.ts';
import { byPerson, elements } from './elements.ts';

// The clips that the page has loaded: a limited number of consecutive pages of the list.

export const PAGES_MAX = 10;

/** The query of the list, and the position of the list among all clips. */
export const list = {
  query: settings.query as Query,
  /** The cursor of the next older page. */
  next: settings.page.pagination.nextCursor,
  pages: 1,
  /** True when the shown list does not begin with the newest clip. */
  older: settings.older,
};

/** The words that the reader has typed and for which the server has not answered yet; undefined for none. */
export const typed: { words: string[] | undefined } = { words: undefined };

export const clips = new Map<string, Clip>();
/** New clips that arrived while the reader was further down the page. The page does not show them yet. */
export const waiting = new Map<string, Clip>();
/** The clips that arrived while the page was open. */
export const arrived = new Set<string>();
/** The last opened clip, which may be outside the list. */
let visited: Clip | undefined;
const watchers: ((clip: Clip, changed: boolean) => void)[] = [];

/** The last saved state of clips. `at` is the number of saves at that time. */
const saved = new Map<string, { clip: Clip; at: number }>();
let saves = 0;

/**
 * Call this before a request for clips. Returns a function that takes each received clip; for a clip that was saved
 * during the request, it keeps the saved state.
 */
function asking(): (received: Clip) => Clip {
  const before = saves;
  return received => {
    const known = saved.get(received.submissionId);
    return known && known.at > before ? known.clip : pickFields(received);
  };
}

/** Loads clips. Rejects like `get`. */
export async function getClips(path: string, signal?: AbortSignal): Promise<ClipsPage> {
  const latest = asking();
  const page = await get<ClipsPage>(path, signal);
  return { ...page, submissions: page.submissions.map(latest) };
}

const poller = new Poller();

/** Polls clips; resolves to undefined when nothing changed. Rejects like `get`. */
export async function pollClips(path: string): Promise<ClipsPage | undefined> {
  const latest = asking();
  const page = await poller.poll<ClipsPage>(path);
  return page && { ...page, submissions: page.submissions.map(latest) };
}

/** Polls one clip; resolves to undefined when nothing changed. Rejects like `get`. */
export async function pollClip(id: string): Promise<Clip | undefined> {
  const latest = asking();
  const clip = await poller.poll<Clip>(`/submissions/${id}`);
  return clip && latest(clip);
}

/** Makes the next poll return the full data, because the page did not use the last response or shows another list. */
export const forgetPolled = (): void => poller.forget();

/** Registers the page's initial clips as the last response for this path. */
export const knowPolled = (path: string): void => poller.know(path, settings.etags.clips);

/** Loads one clip. Rejects like `get`. */
export async function getClip(id: string): Promise<Clip> {
  const latest = asking();
  return latest(await get<Clip>(`/submissions/${id}`));
}

export const newestFirst = (): Clip[] => [...clips.values()].sort((a, b) => (a.submissionId < b.submissionId ? 1 : -1));
/** Returns the loaded clips; while the reader types a search, only those that match it. */
export function shownClips(): Clip[] {
  const { words } = typed;
  return words ? newestFirst().filter(clip => hasWords(clip, words)) : newestFirst();
}
export const isByPerson = (): boolean => byPerson?.checked ?? false;
export const searchedWords = (): string[] => typed.words ?? wordsOf(list.query.q);
export const hasUnfinished = (): boolean => [...clips.values()].some(isUnfinished);

/** Returns the ids in the order of the page. */
export function shownOrder(): string[] {
  const shown = isByPerson() ? responsesOf(shownClips()).flatMap(({ answers }) => answers) : shownClips();
  return shown.map(({ submissionId }) => submissionId);
}

export const hasMore = (): boolean => list.next !== null && !elements.more.hidden;

export const knownClip = (id: string): Clip | undefined =>
  clips.get(id) ?? waiting.get(id) ?? (visited?.submissionId === id ? visited : undefined);

export function visit(clip: Clip): void {
  visited = pickFields(clip);
}

export function hold(page: ClipsPage): void {
  forgetPolled();
  for (const clip of page.submissions) clips.set(clip.submissionId, pickFields(clip));
}

/**
 * Calls `act` for each clip that the server reports again. `changed` is true when the reported clip differs from the
 * held clip.
 */
export const onClip = (act: (clip: Clip, changed: boolean) => void): void => void watchers.push(act);

/** Stores the server's state of a clip after a save. */
export function updateSaved(clip: Clip): void {
  saves += 1;
  saved.set(clip.submissionId, { clip: pickFields(clip), at: saves });
  forgetPolled();
  update(clip);
}

/** Stores a clip from the server. */
export function update(received: Clip): void {
  const clip = pickFields(received);
  const { submissionId: id } = clip;
  const before = clips.get(id);
  const changed = before !== undefined && JSON.stringify(before) !== JSON.stringify(clip);
  if (before) clips.set(id, clip);
  if (waiting.has(id)) waiting.set(id, clip);
  if (visited?.submissionId === id) visited = clip;
  for (const act of watchers) act(clip, changed);
}
