import { LIMITS } from '@recording-request/contract/limits';
import { type ComponentChildren, h } from 'preact';
import type { Clip } from '../clip.ts';
import { sentenceOf } from './api.ts';
import { knownClip } from './held.ts';
import { save, showFailure } from './review.ts';

// The review note of the open clip. The page saves it when the reader presses the button or leaves the clip; until then
// it shows that the note is unsaved.

/** The unsaved texts by clip. */
const drafts = new Map<string, string>();
/**
 * The clips with a running save of their note. True means that the page must save again afterwards: two concurrent
 * saves could arrive in any order.
 */
const saving = new Map<string, boolean>();
/** The status of the visible note. */
let shown = { id: '', state: '' };
let repaint = (): void => {};

/** Calls `act` when the form's status changes. */
export const onNoteState = (act: () => void): void => {
  repaint = act;
};

const stateOf = (id: string): string => (drafts.has(id) ? 'Not saved yet.' : '');

function showState(id: string, state: string): void {
  if (shown.id !== id) return;
  shown = { id, state };
  repaint();
}

/** Shows the note of a clip. */
export function openNote(id: string): void {
  shown = { id, state: stateOf(id) };
}

export const noteForm = ({ submissionId: id, reviewNote }: Clip): ComponentChildren =>
  h(
    'form',
    {
      id: 'note-form',
      onSubmit: (event: Event) => {
        event.preventDefault();
        void saveNote(id);
      },
    },
    h('label', { for: 'note' }, 'Review note'),
    h('textarea', {
      id: 'note',
      rows: 3,
      maxlength: LIMITS.reviewNoteLength,
      dir: 'auto',
      value: drafts.get(id) ?? reviewNote ?? '',
      onInput: (event: Event) => write(id, (event.target as HTMLTextAreaElement).value),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void saveNote(id);
      },
    }),
    h(
      'p',
      { class: 'buttons' },
      h('button', { id: 'save-note', type: 'submit', class: 'small' }, 'Save note'),
      h('span', { id: 'note-state', role: 'status' }, shown.state),
    ),
  );

function write(id: string, text: string): void {
  drafts.set(id, text);
  // While a save is running, the known note is about to change, so the draft stays.
  if (!saving.has(id) && text === (knownClip(id)?.reviewNote ?? '')) drafts.delete(id);
  showState(id, stateOf(id));
}

async function saveNote(id: string): Promise<void> {
  if (saving.has(id)) {
    saving.set(id, true);
    return showState(id, 'Saving…');
  }
  const text = drafts.get(id);
  if (text === undefined) return showState(id, 'Saved.');
  saving.set(id, false);
  showState(id, 'Saving…');
  try {
    await save(id, { reviewNote: text });
    if (drafts.get(id) === text) drafts.delete(id);
    showState(id, stateOf(id) || 'Saved.');
  } catch (error) {
    const sentence = sentenceOf(error);
    if (shown.id === id) showState(id, `Not saved. ${sentence} Your text is still here.`);
    else showFailure(`The review note is not saved yet. ${sentence}`, () => void saveNote(id));
  }
  const again = saving.get(id);
  saving.delete(id);
  if (again) await saveNote(id);
}

/** Saves the note of a clip that the reader leaves. */
export function leaveNote(id: string): void {
  shown = { id: '', state: '' };
  if (drafts.has(id)) void saveNote(id);
}

addEventListener('beforeunload', event => {
  if (drafts.size > 0) event.preventDefault();
});
