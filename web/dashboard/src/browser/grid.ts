import { pagePath } from '@recording-request/web-shared/browser/page';
import { showText } from '@recording-request/web-shared/browser/texts';
import { type ComponentChild, type ComponentChildren, h, render } from 'preact';
import type { CardContext } from '../components/clip-card.ts';
import { clipItems } from '../components/clips-section.ts';
import { emptyText, isNarrowed } from '../settings.ts';
import { mayWrite, onAccess } from './access.ts';
import { settings } from './api.ts';
import { elements } from './elements.ts';
import { arrived, clips, hold, isByPerson, list, onClip, searchedWords, shownClips, typed } from './held.ts';

// The cards on the page.

const PICTURE_AGAIN_MS = 6_000;
const FIRST_GHOSTS = 8;
const MORE_GHOSTS = 4;

const { grid, empty, emptyLinks, more, moreProblem, newer, clear } = elements;

const cardContext = (): CardContext => ({
  here: pagePath,
  words: searchedWords(),
  writes: mayWrite(),
  script: true,
  arrived,
});

/** Renders the current clips. With `loadingMore`, also renders placeholders for the clips that are loading. */
export function paint(loadingMore = false): void {
  const shown = shownClips();
  if (typed.words && shown.length === 0) {
    showLoading();
    return;
  }
  const place = focusedPlace();
  const byPerson = isByPerson();
  const { questionCount } = settings.overview.project;
  grid.className = byPerson ? 'persons' : 'grid';
  grid.removeAttribute('aria-busy');
  render(
    [
      clipItems(shown, cardContext(), byPerson ? questionCount : undefined),
      loadingMore && !byPerson && ghosts(MORE_GHOSTS),
    ],
    grid,
  );
  showEmpty(clips.size === 0 ? emptyText(list.query) : '');
  emptyLinks.hidden = clips.size > 0 || isNarrowed(list.query);
  more.hidden = list.next === null || typed.words !== undefined;
  newer.hidden = !list.older;
  clear.hidden = !isNarrowed(list.query);
  if (place && document.activeElement === document.body) focusIn(place.id, place.which, { preventScroll: true });
}

function showEmpty(content: ComponentChild): void {
  render(content, empty);
  empty.hidden = !content;
}

// Returns the place of the focus, because moving a card or replacing a star removes the focus.
function focusedPlace(): { id: string; which: string } | undefined {
  const focused = document.activeElement;
  const id = focused?.closest<HTMLElement>('#grid [data-id]')?.dataset.id;
  return id ? { id, which: focused?.matches('[data-select]') ? '[data-select]' : '[data-open]' } : undefined;
}

const focusIn = (id: string, which: string, options?: FocusOptions): void =>
  grid.querySelector<HTMLElement>(`[data-id="${id}"] ${which}`)?.focus(options);

export const focusCard = (id: string): void => focusIn(id, '[data-open]');

const ghosts = (number: number): ComponentChildren =>
  Array.from({ length: number }, (_, index) =>
    h(
      'li',
      { key: `ghost-${index}`, class: 'clip skeleton', 'aria-hidden': 'true' },
      h('span', { class: 'frame' }),
      h('span', { class: 'line' }),
    ),
  );

export const isLoading = (): boolean => grid.hasAttribute('aria-busy') || typed.words !== undefined;

/** Shows that the grid waits for another list. */
export function showLoading(): void {
  grid.className = 'grid';
  grid.setAttribute('aria-busy', 'true');
  render([ghosts(FIRST_GHOSTS)], grid);
  showEmpty('');
  showText(moreProblem, '');
  emptyLinks.hidden = true;
  more.hidden = true;
}

/** Shows an empty list with the reason. */
export function showFailure(sentence: string): void {
  grid.removeAttribute('aria-busy');
  render(null, grid);
  showEmpty([
    `The clips could not be loaded. ${sentence} `,
    h('button', { type: 'button', class: 'small', 'data-reload': '' }, 'Try again'),
  ]);
}

/** Loads a failed picture once more after a pause, because the server may have been busy. */
function askAgainForPictures(): void {
  const again = (picture: EventTarget | null) => {
    if (!(picture instanceof HTMLImageElement) || picture.dataset.again) return;
    picture.dataset.again = 'true';
    const { src } = picture;
    setTimeout(() => {
      picture.src = src;
    }, PICTURE_AGAIN_MS);
  };
  // The error event does not bubble.
  grid.addEventListener('error', ({ target }) => again(target), { capture: true });
  // The pictures in the server's HTML may have failed before this script ran.
  for (const picture of grid.querySelectorAll('img')) if (picture.complete && !picture.naturalWidth) again(picture);
}

/** Takes over the cards that the server rendered. */
export function takeOver(): void {
  hold(settings.page);
  paint();
  askAgainForPictures();
  onAccess(() => paint());
  onClip((_, changed) => changed && !isLoading() && paint());
}
