import { type ComponentChildren, h } from 'preact';
import { COLUMNS, type Column, FIGURES, REMINDED, type Reminded } from './person.ts';
import { narrow, state } from './state.ts';
import { toTop } from './table.ts';
import { number, say } from './texts.ts';

// The figures and filters above the table.

const SEARCH_MS = 150;

/** Renders the figures. A pressed figure keeps only the people that it counts. */
export const figures = (): ComponentChildren =>
  h(
    'div',
    { class: 'people-figures', role: 'group', 'aria-label': say('figures') },
    FIGURES.map(figure =>
      h(
        'button',
        {
          type: 'button',
          key: figure,
          'aria-pressed': String(state.view.figure === figure),
          onClick: () => {
            narrow({ figure: state.view.figure === figure ? 'all' : figure });
            toTop();
          },
        },
        h('b', null, number(state.counts[figure])),
        ' ',
        h('span', null, say(figure)),
      ),
    ),
  );

let typing: number | undefined;

function search(event: Event): void {
  // The state has the text at once, because every paint writes it into the field.
  state.view = { ...state.view, search: (event.target as HTMLInputElement).value };
  clearTimeout(typing);
  typing = window.setTimeout(() => {
    narrow({});
    toTop();
  }, SEARCH_MS);
}

const chosenIn = (event: Event): string => (event.target as HTMLSelectElement).value;

export const filters = (): ComponentChildren =>
  h(
    'div',
    { class: 'people-filters', role: 'search', 'aria-label': say('people') },
    h('label', { class: 'hidden-text', for: 'people-search' }, say('search')),
    h('input', {
      id: 'people-search',
      type: 'search',
      autocomplete: 'off',
      spellcheck: false,
      placeholder: say('searchHint'),
      value: state.view.search,
      onInput: search,
    }),
    h('label', { class: 'hidden-text', for: 'people-reminded' }, say('reminded')),
    h(
      'select',
      {
        id: 'people-reminded',
        value: state.view.reminded,
        onChange: (event: Event) => {
          narrow({ reminded: chosenIn(event) as Reminded });
          toTop();
        },
      },
      REMINDED.map(value => h('option', { key: value, value }, say(value))),
    ),
    // A phone shows no column titles, so the order is a list there.
    h('label', { class: 'hidden-text people-order', for: 'people-order' }, say('order')),
    h(
      'select',
      {
        id: 'people-order',
        class: 'people-order',
        value: state.view.sort ?? '',
        onChange: (event: Event) => {
          narrow({ sort: (chosenIn(event) || undefined) as Column | undefined, descending: false });
          toTop();
        },
      },
      h('option', { value: '' }, say('order')),
      COLUMNS.map(value => h('option', { key: value, value }, say(value))),
    ),
  );
