import { LIMITS } from '@recording-request/contract/limits';
import { personsOf } from '../person.ts';
import { type ClipsPage, isNarrowed, PAGE_SIZE, type Query, queryString } from '../settings.ts';
import { type Clip, count } from '../words.ts';
import { here, sentenceOf } from './api.ts';
import { ended, failed, works } from './connection.ts';
import { announce, byId, tell } from './dom.ts';
import { focusCard, grid, paint, showFailure, showLoading, skeletons } from './grid.ts';
import { byPerson, clips, getClips, hold, list, newestFirst, PAGES_MAX, waiting } from './held.ts';

// Asks for pages of clips, newest first. What comes after the last page that the page can hold takes the place of the others.

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
  byId('waiting').hidden = true;
}

/** Begins anew with the newest, narrowed by `wanted`. */
export async function reload(wanted: Query = list.query): Promise<void> {
  list.query = wanted;
  list.older = false;
  history.replaceState(history.state, '', here + queryString(wanted) + location.hash);
  const mine = begin();
  showLoading();
  try {
    const page = await getClips(listPath(), mine.signal);
    clear();
    // The words that are marked may be others.
    paint();
    show(page, 1);
    works();
    if (isNarrowed(wanted)) announce(`${count(clips.size, 'clip')}${list.next ? ' and more' : ''} found.`);
  } catch (error) {
    if (mine.signal.aborted) return;
    failed(error);
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
  void completePersons().catch(failed);
}

/** The next older page, below what is shown; in its place where that has become long. */
export async function loadMore(): Promise<void> {
  if (busy || list.next === null) return;
  busy = true;
  const mine = begin();
  const instead = list.pages >= PAGES_MAX;
  const ghosts = skeletons(4);
  if (!byPerson()) grid().append(...ghosts);
  try {
    const page = await getClips(listPath({ cursor: list.next }), mine.signal);
    if (instead) clear();
    list.older ||= instead;
    tell('more-problem', '');
    show(page, instead ? 1 : list.pages + 1);
    if (instead) byId('clips').scrollIntoView();
    const [first] = page.submissions;
    if (first && document.activeElement === document.body && list.next === null) focusCard(first.submissionId);
  } catch (error) {
    for (const ghost of ghosts) ghost.remove();
    if (!mine.signal.aborted) tell('more-problem', `Older clips could not be loaded. ${sentenceOf(error)}`);
  } finally {
    busy = false;
  }
}

/** Scrolling is enough to go on, until the list is full. */
export function watchEnd(): void {
  near ??= new IntersectionObserver(
    entries => list.pages < PAGES_MAX && entries.some(({ isIntersecting }) => isIntersecting) && void loadMore(),
    { rootMargin: '400px' },
  );
  // Watched anew, it tells at once where the end is in sight still.
  near.disconnect();
  near.observe(byId('more'));
}

/** Answers come in the order of the questions: earlier ones than a contributor's first here are on a page not loaded yet. */
export async function completePersons(): Promise<void> {
  if (!byPerson() || list.next === null || isNarrowed(list.query)) return;
  const cut = personsOf(newestFirst()).filter(({ answers }) => (answers[0]?.questionIndex ?? 0) > 0);
  for (const { answers } of cut) {
    for (const clip of await answersOf(answers[0] as Clip)) clips.set(clip.submissionId, clip);
  }
  if (cut.length > 0) paint();
}

/** All answers of who recorded this clip, in the order of the questions. */
export async function answersOf({ tokenId, responseSessionId }: Clip): Promise<Clip[]> {
  if (!tokenId || !responseSessionId) return [];
  const query = new URLSearchParams({ tokenId, responseSessionId, limit: String(LIMITS.interviewQuestions) });
  const { submissions } = await getClips(`/submissions?${query}`);
  return submissions.sort((a, b) => (a.questionIndex ?? 0) - (b.questionIndex ?? 0));
}
