import { clipCard } from '../../dashboard/clip-card.ts';
import { personItem, personsOf } from '../../dashboard/person.ts';
import { wordsOf } from '../../dashboard/search.ts';
import { type ClipsPage, emptyText, isNarrowed, PAGE_SIZE, type Query, queryString } from '../../dashboard/settings.ts';
import { el } from '../../dashboard/tree.ts';
import { type Clip, count, isUnfinished } from '../../dashboard/words.ts';
import { mayWrite, onAccess } from './access.ts';
import { get, here, sentenceOf, settings } from './api.ts';
import { failed, works } from './connection.ts';
import { announce, build, buildOne, byId, fill, localTimes, tell } from './dom.ts';

// The grid: pages of clips, newest first. It holds a bounded number of them: what comes after takes their place.

const PAGES_MAX = 10;
const ANSWERS_MAX = 50;

const { project } = settings.overview;
let query: Query = settings.query;
const clips = new Map<string, Clip>();
const cards = new Map<string, HTMLElement>();
/** New ones that came while the reader was further down. */
const waiting = new Map<string, Clip>();
let next: string | null = settings.page.pagination.nextCursor;
let pages = 1;
/** Whether what is shown begins with an older clip than the newest. */
let older = settings.older;
let loading: AbortController | undefined;
const watchers: ((clip: Clip) => void)[] = [];

const grid = () => byId('grid');
const byPerson = (): boolean => document.querySelector<HTMLInputElement>('#by-person')?.checked ?? false;
const newestFirst = (): Clip[] => [...clips.values()].sort((a, b) => (a.submissionId < b.submissionId ? 1 : -1));
const forget = ({ transcriptVtt: _, ...clip }: Clip & { transcriptVtt?: unknown }): Clip => clip;

export const searchedWords = (): string[] => wordsOf(query.q);
/** The clip that was opened last, which may be none of the list's. */
let visited: Clip | undefined;

export const knownClip = (id: string): Clip | undefined =>
  clips.get(id) ?? waiting.get(id) ?? (visited?.submissionId === id ? visited : undefined);

export function visit(clip: Clip): void {
  visited = forget(clip);
}

/** Calls `act` for each clip that changed. */
export const onClipChange = (act: (clip: Clip) => void): void => void watchers.push(act);

/** The ids as they are shown, from the first to the last. */
export const shownOrder = (): string[] =>
  (byPerson() ? personsOf(newestFirst()).flatMap(({ answers }) => answers) : newestFirst()).map(
    ({ submissionId }) => submissionId,
  );

function makeCard(clip: Clip): HTMLElement {
  const card = buildOne(clipCard(clip, { here, words: searchedWords(), writes: mayWrite(), script: true }));
  localTimes(card);
  // The picture that is there already is not asked for again.
  const before = cards.get(clip.submissionId)?.querySelector('img');
  const image = card.querySelector('img');
  if (before && image && before.getAttribute('src') === image.getAttribute('src')) image.replaceWith(before);
  cards.set(clip.submissionId, card);
  return card;
}

const cardOf = (clip: Clip): HTMLElement => cards.get(clip.submissionId) ?? makeCard(clip);

/** Lays the grid out anew, of the cards that there are. */
function paint(): void {
  const place = focusedPlace();
  const items = byPerson()
    ? personsOf(newestFirst()).map(person => {
        const item = buildOne(personItem(person, project.questionCount, []));
        item.querySelector('ol')?.append(...person.answers.map(cardOf));
        localTimes(item);
        return item;
      })
    : newestFirst().map(cardOf);
  grid().className = byPerson() ? 'persons' : 'grid';
  grid().replaceChildren(...items);
  grid().removeAttribute('aria-busy');
  tell('empty', clips.size === 0 ? emptyText(query) : '');
  byId('empty-links').hidden = clips.size > 0 || isNarrowed(query);
  byId('more').hidden = next === null;
  byId('newer').hidden = !older;
  byId('clear').hidden = !isNarrowed(query);
  if (place && document.activeElement === document.body) refocus(place);
}

interface Place {
  id: string;
  which: string;
}

function focusedPlace(): Place | undefined {
  const focused = document.activeElement as HTMLElement | null;
  const id = focused?.closest<HTMLElement>('#grid [data-id]')?.dataset.id;
  return id ? { id, which: focused?.matches('[data-select]') ? '[data-select]' : '[data-open]' } : undefined;
}

const refocus = ({ id, which }: Place): void =>
  cards.get(id)?.querySelector<HTMLElement>(which)?.focus({ preventScroll: true });

export const focusCard = (id: string): void => cards.get(id)?.querySelector<HTMLElement>('[data-open]')?.focus();

/** Takes in what the server tells of a clip, and shows it wherever it is shown. */
export function update(told: Clip): void {
  const clip = forget(told);
  const { submissionId: id } = clip;
  const before = clips.get(id);
  if (before && JSON.stringify(before) !== JSON.stringify(clip)) {
    clips.set(id, clip);
    const place = focusedPlace();
    cards.get(id)?.replaceWith(makeCard(clip));
    if (place?.id === id) refocus(place);
  }
  if (waiting.has(id)) waiting.set(id, clip);
  if (visited?.submissionId === id) visited = clip;
  for (const act of watchers) act(clip);
}

function take(page: ClipsPage): void {
  for (const clip of page.submissions) clips.set(clip.submissionId, forget(clip));
}

function clear(): void {
  clips.clear();
  cards.clear();
  waiting.clear();
  tellWaiting();
}

const listPath = (more: Record<string, string>): string =>
  `/submissions${queryString(query, { limit: String(PAGE_SIZE), ...more })}`;

const skeletons = (number: number): Node[] =>
  build(
    Array.from({ length: number }, () =>
      el(
        'li',
        { class: 'clip skeleton', 'aria-hidden': 'true' },
        el('span', { class: 'frame' }),
        el('span', { class: 'line' }),
      ),
    ),
  );

/** Begins anew with the newest, narrowed by `wanted`. */
export async function reload(wanted: Query = query): Promise<void> {
  query = wanted;
  older = false;
  history.replaceState(history.state, '', here + queryString(query) + location.hash);
  const mine = begin();
  grid().className = 'grid';
  grid().setAttribute('aria-busy', 'true');
  grid().replaceChildren(...skeletons(8));
  tell('empty', '');
  byId('empty-links').hidden = true;
  byId('more').hidden = true;
  try {
    const page = await get<ClipsPage>(listPath({}), mine.signal);
    clear();
    take(page);
    next = page.pagination.nextCursor;
    pages = 1;
    paint();
    works();
    await completePersons();
    announce(isNarrowed(query) ? `${count(clips.size, 'clip')}${next ? ' and more' : ''} found.` : '');
  } catch (error) {
    if (mine.signal.aborted) return;
    tellFailure(error);
  }
}

function begin(): AbortController {
  loading?.abort();
  loading = new AbortController();
  return loading;
}

/** The list stays empty, and says why. */
function tellFailure(error: unknown): void {
  failed(error);
  clear();
  if (!document.getElementById('grid')) return;
  grid().removeAttribute('aria-busy');
  grid().replaceChildren();
  const sentence = `The clips could not be loaded. ${sentenceOf(error)} `;
  fill(byId('empty'), [sentence, el('button', { type: 'button', class: 'small', 'data-reload': true }, 'Try again')]);
  byId('empty').hidden = false;
}

let busy = false;

/** The next older page, below what is shown; in its place where that has become long. */
export async function loadMore(): Promise<boolean> {
  if (busy || next === null) return false;
  busy = true;
  const mine = begin();
  const instead = pages >= PAGES_MAX;
  const ghosts = skeletons(4) as HTMLElement[];
  if (!byPerson()) grid().append(...ghosts);
  try {
    const page = await get<ClipsPage>(listPath({ cursor: next }), mine.signal);
    if (instead) clear();
    take(page);
    next = page.pagination.nextCursor;
    pages = instead ? 1 : pages + 1;
    older ||= instead;
    tell('more-problem', '');
    paint();
    if (instead) byId('clips').scrollIntoView();
    const [first] = page.submissions;
    if (first && (instead || next === null) && document.activeElement === document.body) focusCard(first.submissionId);
    await completePersons();
    return true;
  } catch (error) {
    for (const ghost of ghosts) ghost.remove();
    if (!mine.signal.aborted) tell('more-problem', `Older clips could not be loaded. ${sentenceOf(error)}`);
    return false;
  } finally {
    busy = false;
  }
}

/** Answers come in the order of the questions: earlier ones than a contributor's first here are on a page not loaded yet. */
async function completePersons(): Promise<void> {
  if (!byPerson() || next === null || isNarrowed(query)) return;
  const cut = personsOf(newestFirst()).filter(({ answers }) => (answers[0]?.questionIndex ?? 0) > 0);
  for (const { answers } of cut) {
    for (const clip of await answersOf(answers[0] as Clip)) clips.set(clip.submissionId, clip);
  }
  if (cut.length > 0) paint();
}

/** All answers of who recorded this clip, in the order of the questions. */
export async function answersOf({ tokenId, responseSessionId }: Clip): Promise<Clip[]> {
  if (!tokenId || !responseSessionId) return [];
  const limit = String(ANSWERS_MAX);
  const query = new URLSearchParams({ tokenId, responseSessionId, limit });
  const { submissions } = await get<ClipsPage>(`/submissions?${query}`);
  return submissions.map(forget).sort((a, b) => (a.questionIndex ?? 0) - (b.questionIndex ?? 0));
}

/** Brings what came since. Nothing moves under the reader: further down, new clips wait for a touch. */
export async function refresh(): Promise<void> {
  if (loading && !loading.signal.aborted && grid().hasAttribute('aria-busy')) return;
  const asked = query;
  const page = await get<ClipsPage>(listPath({}));
  if (asked !== query) return;
  const fresh: Clip[] = [];
  for (const clip of page.submissions) {
    if (clips.has(clip.submissionId) || waiting.has(clip.submissionId)) update(clip);
    else fresh.push(forget(clip));
  }
  await refreshUnfinished(new Set(page.submissions.map(({ submissionId }) => submissionId)));
  if (fresh.length === 0) return;
  for (const clip of fresh) waiting.set(clip.submissionId, clip);
  const gap = fresh.length === page.submissions.length && clips.size > 0 && page.pagination.nextCursor !== null;
  const atTop = byId('clips').hidden || grid().getBoundingClientRect().top > 0;
  if (gap || older || !atTop) return tellWaiting(gap);
  showWaiting();
}

const SINGLES_MAX = 8;

/** Those further down that were not done when they were loaded. */
async function refreshUnfinished(told: Set<string>): Promise<void> {
  const open = newestFirst().filter(clip => isUnfinished(clip) && !told.has(clip.submissionId));
  for (const { submissionId } of open.slice(0, SINGLES_MAX)) update(await get<Clip>(`/submissions/${submissionId}`));
}

export const hasUnfinished = (): boolean => [...clips.values()].some(isUnfinished);

function tellWaiting(gap = false): void {
  byId('show-waiting').textContent = gap ? 'Show the new clips' : `Show ${count(waiting.size, 'new clip')}`;
  byId('show-waiting').dataset.gap = String(gap);
  byId('waiting').hidden = waiting.size === 0;
  if (waiting.size > 0) announce(`${count(waiting.size, 'new clip')}.`);
}

/** Puts the new clips at the top. */
function showWaiting(): void {
  announce(`${count(waiting.size, 'new clip')} came in.`);
  for (const [id, clip] of waiting) {
    clips.set(id, clip);
    makeCard(clip).classList.add('is-new');
  }
  waiting.clear();
  byId('waiting').hidden = true;
  paint();
}

function adopt(): void {
  take(settings.page);
  for (const { submissionId: id } of settings.page.submissions) {
    const card = grid().querySelector<HTMLElement>(`[data-id="${id}"]`);
    if (!card) continue;
    card.querySelector('noscript')?.remove();
    card.querySelector('[data-open]')?.setAttribute('href', `#clip-${id}`);
    cards.set(id, card);
  }
}

export function wireClips(): void {
  adopt();
  if (mayWrite()) repaint();
  onAccess(repaint);
  const form = byId<HTMLFormElement>('filters');
  const wanted = (): Query => ({
    q: byId<HTMLInputElement>('q').value,
    selected: byId<HTMLInputElement>('selected').checked,
    transcriptStatus: byId<HTMLSelectElement>('transcriptStatus').value,
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    void reload(wanted());
  });
  form.addEventListener('change', event => {
    const { id } = event.target as HTMLElement;
    if (id === 'by-person') paint();
    else if (id !== 'q') void reload(wanted());
  });
  // The cross in the field, where the browser has one.
  byId('q').addEventListener(
    'search',
    () => query.q.trim() !== byId<HTMLInputElement>('q').value.trim() && void reload(wanted()),
  );
  byId('clear').addEventListener('click', event => {
    event.preventDefault();
    form.reset();
    byId<HTMLInputElement>('q').value = '';
    byId<HTMLInputElement>('selected').checked = false;
    byId<HTMLSelectElement>('transcriptStatus').value = '';
    void reload({ q: '', selected: false, transcriptStatus: '' });
    byId('q').focus();
  });
  byId('newer').addEventListener('click', event => {
    event.preventDefault();
    void reload();
  });
  byId('empty').addEventListener('click', event => {
    if ((event.target as Element).matches('[data-reload]')) void reload();
  });
  byId('show-waiting').addEventListener('click', ({ currentTarget }) => {
    const { gap } = (currentTarget as HTMLElement).dataset;
    if (gap === 'true' || older) void reload();
    else showWaiting();
    byId('clips').scrollIntoView();
    byId('clips').focus({ preventScroll: true });
  });
  const more = byId('more');
  more.addEventListener('click', event => {
    event.preventDefault();
    void loadMore();
  });
  // Scrolling is enough, until the list is full.
  const near = new IntersectionObserver(
    entries => pages < PAGES_MAX && entries.some(({ isIntersecting }) => isIntersecting) && void loadMore(),
    { rootMargin: '400px' },
  );
  near.observe(more);
  void completePersons().catch(failed);
}

/** Every card anew: what may be done with them has changed. */
function repaint(): void {
  for (const clip of clips.values()) makeCard(clip);
  paint();
}
