import { LIMITS } from '@recording-request/contract/limits';
import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import { type ComponentChildren, h } from 'preact';
import type { Clip } from '../clip.ts';
import { wordsOf } from '../search.ts';
import { emptyText, isNarrowed, type Query, queryString } from '../settings.ts';
import { type CardContext, clipCard } from './clip-card.ts';
import { responseItem, responsesOf } from './response.ts';

interface ClipsView {
  submissions: Clip[];
  here: string;
  query: Query;
  project: ProjectDetailJson;
  older: boolean;
  nextCursor: string | null;
}

/** Renders the clips and the search form, before the script runs. */
export function clipsSection({ submissions, here, query, project, older, nextCursor }: ClipsView): ComponentChildren {
  const context = { here, words: wordsOf(query.q), writes: false, script: false };
  const byPerson = project.interviewEnabled;
  const found = submissions.length > 0;
  return h(
    'section',
    { id: 'clips', tabindex: -1, 'aria-labelledby': 'clips-title' },
    h('h2', { id: 'clips-title', class: 'hidden-text' }, 'Clips'),
    filters(query, here, project),
    h(
      'p',
      { id: 'waiting', class: 'waiting', hidden: true },
      h('button', { id: 'show-waiting', class: 'primary', type: 'button' }),
    ),
    h(
      'p',
      { id: 'newer', class: 'more', hidden: !older },
      h('a', { class: 'button', href: here + queryString(query) }, 'Back to newest'),
    ),
    h('p', { id: 'empty', class: 'empty', hidden: found }, emptyText(query)),
    h(
      'p',
      { id: 'empty-links', class: 'more', hidden: found || isNarrowed(query) },
      h('a', { class: 'button primary', href: '#links' }, 'See recording links'),
    ),
    h(
      'ul',
      { id: 'grid', class: byPerson ? 'persons' : 'grid', 'aria-labelledby': 'clips-title' },
      clipItems(submissions, context, byPerson ? project.questionCount : undefined),
    ),
    h('p', { id: 'more-problem', class: 'warning', role: 'alert', hidden: true }),
    h(
      'p',
      { id: 'more', class: 'more', hidden: nextCursor === null },
      h('a', { class: 'button', href: here + queryString(query, { cursor: nextCursor ?? '' }) }, 'Show older clips'),
    ),
  );
}

/** Renders the items of the grid: cards, or in an interview the contributors with the cards of their answers. */
export function clipItems(clips: Clip[], context: CardContext, questionCount?: number): ComponentChildren {
  const cards = (some: Clip[]) => some.map(clip => clipCard(clip, context));
  if (questionCount === undefined) return cards(clips);
  return responsesOf(clips).map(person => responseItem(person, questionCount, cards(person.answers)));
}

const STATUSES: [value: string, name: string][] = [
  ['', 'Any transcript'],
  ['completed', 'Transcript ready'],
  ['processing', 'Transcribing'],
  ['pending', 'Queued'],
  ['failed', 'Failed'],
  ['disabled', 'Transcription off'],
];

/** Renders the form, which works without a script. */
const filters = (query: Query, here: string, { interviewEnabled }: ProjectDetailJson): ComponentChildren =>
  h(
    'form',
    { id: 'filters', class: 'filters', action: here, method: 'get', role: 'search' },
    h(
      'div',
      { class: 'search' },
      h('label', { class: 'hidden-text', for: 'q' }, 'Search'),
      h('input', {
        id: 'q',
        name: 'q',
        type: 'search',
        maxlength: LIMITS.searchLength,
        autocomplete: 'off',
        placeholder: 'Search clips',
        dir: 'auto',
        value: query.q,
        'aria-describedby': 'q-hint',
      }),
      h('button', { type: 'submit', class: 'small' }, 'Search'),
    ),
    h('p', { id: 'q-hint', class: 'hint' }, 'Searches transcripts, notes and questions.'),
    h(
      'div',
      { class: 'choices' },
      h(
        'label',
        { class: 'choice' },
        h('input', { id: 'selected', name: 'selected', type: 'checkbox', value: 'true', checked: query.selected }),
        ' Selected only',
      ),
      h('label', { class: 'hidden-text', for: 'transcript-status' }, 'Transcript'),
      h(
        'select',
        { id: 'transcript-status', name: 'transcriptStatus' },
        STATUSES.map(([value, name]) => h('option', { value, selected: value === query.transcriptStatus }, name)),
      ),
      interviewEnabled &&
        h(
          'label',
          { class: 'choice needs-script' },
          h('input', { id: 'by-person', type: 'checkbox', checked: true }),
          ' Group by contributor',
        ),
      h('a', { id: 'clear', class: 'clear', href: here, hidden: !isNarrowed(query) }, 'Show all clips'),
    ),
  );
