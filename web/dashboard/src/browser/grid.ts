import { clipCard } from '../clip-card.ts';
import { personItem, personsOf } from '../person.ts';
import { emptyText, isNarrowed } from '../settings.ts';
import { el } from '../tree.ts';
import type { Clip } from '../words.ts';
import { mayWrite, onAccess } from './access.ts';
import { here, settings } from './api.ts';
import { build, buildOne, byId, fill, localTimes, tell } from './dom.ts';
import { byPerson, clips, hold, list, newestFirst, onClip, searchedWords } from './held.ts';

// The cards on the page. One is made anew only where its clip has changed.

const PICTURE_AGAIN_MS = 6_000;

const cards = new Map<string, HTMLElement>();
export const grid = (): HTMLElement => byId('grid');

export function makeCard(clip: Clip): HTMLElement {
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
export function paint(): void {
  const place = focusedPlace();
  const { questionCount } = settings.overview.project;
  const items = byPerson()
    ? personsOf(newestFirst()).map(person => {
        const item = buildOne(personItem(person, questionCount, []));
        item.querySelector('ol')?.append(...person.answers.map(cardOf));
        localTimes(item);
        return item;
      })
    : newestFirst().map(cardOf);
  grid().className = byPerson() ? 'persons' : 'grid';
  grid().replaceChildren(...items);
  grid().removeAttribute('aria-busy');
  for (const id of cards.keys()) if (!clips.has(id)) cards.delete(id);
  tell('empty', clips.size === 0 ? emptyText(list.query) : '');
  byId('empty-links').hidden = clips.size > 0 || isNarrowed(list.query);
  byId('more').hidden = list.next === null;
  byId('newer').hidden = !list.older;
  byId('clear').hidden = !isNarrowed(list.query);
  if (place && document.activeElement === document.body) refocus(place);
}

/** Every card anew: what may be done with them, or what is looked for in them, has changed. */
export function repaint(): void {
  for (const clip of clips.values()) makeCard(clip);
  paint();
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

/** Where cards will be. */
export const skeletons = (number: number): HTMLElement[] =>
  build(
    Array.from({ length: number }, () =>
      el(
        'li',
        { class: 'clip skeleton', 'aria-hidden': 'true' },
        el('span', { class: 'frame' }),
        el('span', { class: 'line' }),
      ),
    ),
  ) as HTMLElement[];

export function showLoading(): void {
  grid().className = 'grid';
  grid().setAttribute('aria-busy', 'true');
  grid().replaceChildren(...skeletons(8));
  tell('empty', '');
  tell('more-problem', '');
  byId('empty-links').hidden = true;
  byId('more').hidden = true;
}

/** The list is empty, and says why. */
export function showFailure(sentence: string): void {
  grid().removeAttribute('aria-busy');
  grid().replaceChildren();
  const again = el('button', { type: 'button', class: 'small', 'data-reload': true }, 'Try again');
  fill(byId('empty'), [`The clips could not be loaded. ${sentence} `, again]);
  byId('empty').hidden = false;
}

/** A picture that did not come is asked for once more, when a busy moment is over. */
function askAgainForPictures(): void {
  const again = (picture: EventTarget | null) => {
    if (!(picture instanceof HTMLImageElement) || picture.dataset.again) return;
    picture.dataset.again = 'true';
    const { src } = picture;
    setTimeout(() => {
      picture.src = src;
    }, PICTURE_AGAIN_MS);
  };
  // It does not bubble.
  grid().addEventListener('error', ({ target }) => again(target), { capture: true });
  // Those of the page itself may have failed before this script ran.
  for (const picture of grid().querySelectorAll('img')) if (picture.complete && !picture.naturalWidth) again(picture);
}

/** Takes over the cards that came with the page. */
export function adopt(): void {
  askAgainForPictures();
  hold(settings.page);
  for (const id of clips.keys()) {
    const card = grid().querySelector<HTMLElement>(`[data-id="${id}"]`);
    if (!card) continue;
    card.querySelector('noscript')?.remove();
    card.querySelector('[data-open]')?.setAttribute('href', `#clip-${id}`);
    cards.set(id, card);
  }
  if (mayWrite()) repaint();
  onAccess(repaint);
  onClip((clip, changed) => {
    if (!changed) return;
    const place = focusedPlace();
    cards.get(clip.submissionId)?.replaceWith(makeCard(clip));
    if (place?.id === clip.submissionId) refocus(place);
  });
}
