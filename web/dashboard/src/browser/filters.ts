import type { Query } from '../settings.ts';
import { completePersons, loadMore, reload, watchEnd } from './clips.ts';
import { failed } from './connection.ts';
import { byId } from './dom.ts';
import { adopt, paint } from './grid.ts';

const field = (): HTMLInputElement => byId<HTMLInputElement>('q');

const wanted = (): Query => ({
  q: field().value,
  selected: byId<HTMLInputElement>('selected').checked,
  transcriptStatus: byId<HTMLSelectElement>('transcriptStatus').value,
});

function clear(): void {
  field().value = '';
  byId<HTMLInputElement>('selected').checked = false;
  byId<HTMLSelectElement>('transcriptStatus').value = '';
  void reload(wanted());
  field().focus();
}

function wireForm(): void {
  const form = byId<HTMLFormElement>('filters');
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
  field().addEventListener('search', () => field().value === '' && void reload(wanted()));
}

const instead = (id: string, act: () => void): void =>
  byId(id).addEventListener('click', event => {
    event.preventDefault();
    act();
  });

/** Everything around the grid that asks for other clips. */
export function wireClips(): void {
  adopt();
  wireForm();
  instead('clear', clear);
  instead('newer', () => void reload());
  instead('more', () => void loadMore());
  byId('empty').addEventListener('click', event => {
    if ((event.target as Element).matches('[data-reload]')) void reload();
  });
  watchEnd();
  void completePersons().catch(failed);
}
