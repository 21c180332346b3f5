import { LIMITS } from '@recording-request/contract/limits';
import { pagePath } from '@recording-request/web-shared/browser/page';
import { announce, showText } from '@recording-request/web-shared/browser/texts';
import type { Clip } from '../clip.ts';
import { responsesOf } from '../components/response.ts';
import { count } from '../format.ts';
import { type ClipsPage, isNarrowed, PAGE_SIZE, type Query, queryString } from '../settings.ts';
import { sentenceOf } from './api.ts';
import { ended, failed, works } from './connection.ts';
import { elements } from './elements.ts';
import { focusCard, paint, showFailure, showLoading } from './grid.ts';
import { clips, getClips, hold, isByPerson, list, newestFirst, PAGES_MAX, typed, waiting } from './held.ts';

// Loads pages of clips, newest first. When the list is full, the next page replaces the loaded pages.

let loading: AbortController | undefined;
let busy = false;
let near: IntersectionObserver | undefined;

export const listPath = (more: Record<string, string> = {}): string =>
  `/submissions${queryString(list.query, { limit: String(PAGE_SIZE), ...more })}`;

function begin(): AbortController {
  loading?.abort();
  loading = new AbortController();
  return loading;
}

function clear(): void {
  clips.clear();
  waiting.clear();
  elements.waiting.hidden = true;
}

/** Shows the loaded clips that match the words at once. The last request is aborted: its answer would replace them. */
export function filterLoaded(words: string[]): void {
  loading?.abort();
  typed.words = words;
  paint();
}

/**
 * Reloads from the newest clip, filtered by `wanted`. With `keeps`, the shown clips stay until the server has answered.
 */
export async function reload(wanted: Query = list.query, keeps = false): Promise<void> {
  list.query = wanted;
  list.older = false;
  history.replaceState(history.state, '', pagePath + queryString(wanted) + location.hash);
  const mine = begin();
  if (!keeps) showLoading();
  try {
    const page = await getClips(listPath(), mine.signal);
    typed.words = undefined;
    clear();
    show(page, 1);
    works();
    if (isNarrowed(wanted)) announce(`${count(clips.size, 'clip')}${list.next ? ' and more' : ''} found.`);
  } catch (error) {
    if (mine.signal.aborted) return;
    failed(error);
    typed.words = undefined;
    clear();
    if (!ended) showFailure(sentenceOf(error));
  }
}

function show(page: ClipsPage, pages: number): void {
  hold(page);
  list.next = page.pagination.nextCursor;
  list.pages = pages;
  paint();
  watchEnd();
  void completeResponses().catch(failed);
}

/** Loads the next older page and adds it below the shown pages. When the list is full, the new page replaces them. */
export async function loadMore(): Promise<void> {
  if (busy || list.next === null) return;
  busy = true;
  const mine = begin();
  const instead = list.pages >= PAGES_MAX;
  paint(true);
  try {
    const page = await getClips(listPath({ cursor: list.next }), mine.signal);
    if (instead) clear();
    list.older ||= instead;
    showText(elements.moreProblem, '');
    show(page, instead ? 1 : list.pages + 1);
    if (instead) elements.clips.scrollIntoView();
    const [first] = page.submissions;
    if (first && document.activeElement === document.body && list.next === null) focusCard(first.submissionId);
  } catch (error) {
    if (mine.signal.aborted) return;
    paint();
    showText(elements.moreProblem, `Older clips could not be loaded. ${sentenceOf(error)}`);
  } finally {
    busy = false;
  }
}

/** Loads more on scrolling, until the list is full. */
export function watchEnd(): void {
  near ??= new IntersectionObserver(
    entries => list.pages < PAGES_MAX && entries.some(({ isIntersecting }) => isIntersecting) && void loadMore(),
    { rootMargin: '400px' },
  );
  // A new observation reports at once if the end of the list is still visible.
  near.disconnect();
  near.observe(elements.more);
}

/**
 * Loads all answers of each contributor whose first shown answer is not the answer to the first question: the earlier
 * answers are on a page that is not loaded yet.
 */
export async function completeResponses(): Promise<void> {
  if (!isByPerson() || list.next === null || isNarrowed(list.query)) return;
  const cut = responsesOf(newestFirst()).filter(({ answers }) => (answers[0]?.questionIndex ?? 0) > 0);
  for (const { answers } of cut) {
    for (const clip of await answersOf(answers[0] as Clip)) clips.set(clip.submissionId, clip);
  }
  if (cut.length > 0) paint();
}

/** Returns all answers of this clip's contributor, in the order of the questions. */
export async function answersOf({ tokenId, responseSessionId }: Clip): Promise<Clip[]> {
  if (!tokenId || !responseSessionId) return [];
  const query = new URLSearchParams({ tokenId, responseSessionId, limit: String(LIMITS.interviewQuestions) });
  const { submissions } = await getClips(`/submissions?${query}`);
  return submissions.sort((a, b) => (a.questionIndex ?? 0) - (b.questionIndex ?? 0));
}
