import { LIMITS } from '@recording-request/contract/limits';
import { el, type Tree } from '../tree.ts';
import type { Clip } from '../words.ts';
import { sentenceOf } from './api.ts';
import { byId } from './dom.ts';
import { knownClip } from './held.ts';
import { save, tellFailure } from './review.ts';

// The review note of the clip that is open. It is saved on the button and on leaving; until then the page says that it is not.

/** What was written and not saved, by clip. */
const drafts = new Map<string, string>();

export const noteForm = ({ submissionId, reviewNote }: Clip): Tree =>
  el(
    'form',
    { id: 'note-form', 'data-note-of': submissionId },
    el('label', { for: 'note' }, 'Review note'),
    el(
      'textarea',
      { id: 'note', rows: 3, maxlength: LIMITS.reviewNoteLength, dir: 'auto' },
      drafts.get(submissionId) ?? reviewNote ?? '',
    ),
    el(
      'p',
      { class: 'buttons' },
      el('button', { id: 'save-note', type: 'submit', class: 'small' }, 'Save note'),
      el('span', { id: 'note-state', role: 'status' }, drafts.has(submissionId) ? 'Not saved yet.' : ''),
    ),
  );

const isShown = (id: string): boolean => document.querySelector(`[data-note-of="${id}"]`) !== null;

function tellState(id: string, text: string): void {
  if (isShown(id)) byId('note-state').textContent = text;
}

async function saveNote(id: string): Promise<void> {
  const text = drafts.get(id);
  if (text === undefined) return tellState(id, 'Saved.');
  tellState(id, 'Saving …');
  try {
    await save(id, { reviewNote: text });
    if (drafts.get(id) === text) drafts.delete(id);
    tellState(id, drafts.has(id) ? 'Not saved yet.' : 'Saved.');
  } catch (error) {
    const sentence = sentenceOf(error);
    if (isShown(id)) tellState(id, `Not saved. ${sentence} What you wrote is still here.`);
    else tellFailure(`The review note is not saved yet. ${sentence}`, () => void saveNote(id));
  }
}

/** Brings the form of the open clip to life. */
export function wireNote({ submissionId: id }: Clip): void {
  const field = byId<HTMLTextAreaElement>('note');
  field.addEventListener('input', () => {
    drafts.set(id, field.value);
    if (field.value === (knownClip(id)?.reviewNote ?? '')) drafts.delete(id);
    tellState(id, drafts.has(id) ? 'Not saved yet.' : '');
  });
  byId('note-form').addEventListener('submit', event => {
    event.preventDefault();
    void saveNote(id);
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void saveNote(id);
  });
}

/** Leaving a clip saves what was written about it. */
export function leaveNote(id: string): void {
  if (drafts.has(id)) void saveNote(id);
}

/** Whether this clip's note is being written: then nothing replaces it. */
export const isDrafting = (id: string): boolean => drafts.has(id);

addEventListener('beforeunload', event => {
  if (drafts.size > 0) event.preventDefault();
});
