import { type Clip, isUnfinished, slim } from '../clip.ts';
import { responsesOf } from '../components/response.ts';
import { wordsOf } from '../search.ts';
import type { ClipsPage, Query } from '../settings.ts';
import { get, Poller, settings } from './api.ts';
import { byPerson, elements } from './elements.ts';

// The clips that the page holds: of a window of the list, which is a bounded number of pages.

export const PAGES_MAX = 10;

/** What is asked of the server, and how far it was followed. */
export const list = {
  query: settings.query as Query,
  /** The cursor of the next older page. */
  next: settings.page.pagination.nextCursor,
  pages: 1,
  /** Whether what is shown begins with an older clip than the newest. */
  older: settings.older,
};

export const clips = new Map<string, Clip>();
/** New ones that came while the reader was further down. */
export const waiting = new Map<string, Clip>();
/** Those that came in while the page was open. */
export const arrived = new Set<string>();
/** The clip that was opened last, which may be none of the list's. */
let visited: Clip | undefined;
const watchers: ((clip: Clip, changed: boolean) => void)[] = [];

/** Clips as this page saved them last, each with how many saves there were then. */
const saved = new Map<string, { clip: Clip; at: number }>();
let saves = 0;

/** Called where the server is asked about clips. Its answer about a clip that was saved after that is older than what is known. */
function asking(): (received: Clip) => Clip {
  const before = saves;
  return received => {
    const known = saved.get(received.submissionId);
    return known && known.at > before ? known.clip : slim(received);
  };
}

/** Asks for clips. Rejects as `get` does. */
export async function getClips(path: string, signal?: AbortSignal): Promise<ClipsPage> {
  const latest = asking();
  const page = await get<ClipsPage>(path, signal);
  return { ...page, submissions: page.submissions.map(latest) };
}

const poller = new Poller();

/** Asks for clips again; resolves to undefined where nothing of them changed. Rejects as `get` does. */
export async function pollClips(path: string): Promise<ClipsPage | undefined> {
  const latest = asking();
  const page = await poller.ask<ClipsPage>(path);
  return page && { ...page, submissions: page.submissions.map(latest) };
}

/** Asks for one clip again; resolves to undefined where nothing of it changed. Rejects as `get` does. */
export async function pollClip(id: string): Promise<Clip | undefined> {
  const latest = asking();
  const clip = await poller.ask<Clip>(`/submissions/${id}`);
  return clip && latest(clip);
}

/** What is asked for again is sent whole the next time: it was not taken in, or what is shown has another source. */
export const forgetPolled = (): void => poller.forget();

/** The clips that the page began with are those of this path. */
export const knowPolled = (path: string): void => poller.know(path, settings.etags.clips);

/** Asks for one clip. Rejects as `get` does. */
export async function getClip(id: string): Promise<Clip> {
  const latest = asking();
  return latest(await get<Clip>(`/submissions/${id}`));
}

export const newestFirst = (): Clip[] => [...clips.values()].sort((a, b) => (a.submissionId < b.submissionId ? 1 : -1));
export const isByPerson = (): boolean => byPerson?.checked ?? false;
export const searchedWords = (): string[] => wordsOf(list.query.q);
export const hasUnfinished = (): boolean => [...clips.values()].some(isUnfinished);

/** The ids as they are shown, from the first to the last. */
export function shownOrder(): string[] {
  const shown = isByPerson() ? responsesOf(newestFirst()).flatMap(({ answers }) => answers) : newestFirst();
  return shown.map(({ submissionId }) => submissionId);
}

export const hasMore = (): boolean => list.next !== null && !elements.more.hidden;

export const knownClip = (id: string): Clip | undefined =>
  clips.get(id) ?? waiting.get(id) ?? (visited?.submissionId === id ? visited : undefined);

export function visit(clip: Clip): void {
  visited = slim(clip);
}

export function hold(page: ClipsPage): void {
  forgetPolled();
  for (const clip of page.submissions) clips.set(clip.submissionId, slim(clip));
}

/** Calls `act` for each clip that the server reports again; `changed` where it is another than the one that was held. */
export const onClip = (act: (clip: Clip, changed: boolean) => void): void => void watchers.push(act);

/** Takes in a clip as the server has it after it was changed here. */
export function updateSaved(clip: Clip): void {
  saves += 1;
  saved.set(clip.submissionId, { clip: slim(clip), at: saves });
  forgetPolled();
  update(clip);
}

/** Takes in what the server reports of a clip. */
export function update(received: Clip): void {
  const clip = slim(received);
  const { submissionId: id } = clip;
  const before = clips.get(id);
  const changed = before !== undefined && JSON.stringify(before) !== JSON.stringify(clip);
  if (before) clips.set(id, clip);
  if (waiting.has(id)) waiting.set(id, clip);
  if (visited?.submissionId === id) visited = clip;
  for (const act of watchers) act(clip, changed);
}
