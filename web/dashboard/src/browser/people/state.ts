import { people } from './held.ts';
import { countFigures, type Figure, type Person, shownOf, type View } from './person.ts';

// The state of the table, and the one function that shows it.

/** A load or an action that runs. */
export interface Running {
  what: string;
  done: number;
  /** undefined while the end is unknown. */
  total: number | undefined;
  cancel(): void;
}

export interface State {
  view: View;
  /** The people that match, in their order. */
  shown: Person[];
  counts: Record<Figure, number>;
  selected: Set<string>;
  /** The index of the row that has the focus, or had it last. */
  active: number;
  /** The index at which a range of selected rows begins. */
  anchor: number;
  running: Running | undefined;
  /** The sentences about the last load or action. */
  result: { lines: string[]; isProblem: boolean };
  /** True while the page asks whether to send the reminders. */
  asking: boolean;
  /** The person whose link was copied a moment ago. */
  copied: string | undefined;
}

const NO_VIEW: View = { figure: 'all', reminded: 'anyReminders', search: '', sort: undefined, descending: false };
const NOTHING = { lines: [], isProblem: false };

const initial = (): State => ({
  view: NO_VIEW,
  shown: [],
  counts: countFigures([], 0),
  selected: new Set(),
  active: 0,
  anchor: 0,
  running: undefined,
  result: NOTHING,
  asking: false,
  copied: undefined,
});

export const state: State = initial();
let paint = (): void => {};

export const onChange = (act: () => void): void => {
  paint = act;
};

export function change(part: Partial<State>): void {
  Object.assign(state, part);
  paint();
}

/** Shows the loaded people after a change of them or of the view. */
export function recount(part: Partial<State> = {}): void {
  Object.assign(state, part);
  const now = Date.now();
  const shown = shownOf(people.values(), state.view, now);
  change({
    shown,
    counts: countFigures(people.values(), now),
    active: Math.min(state.active, Math.max(0, shown.length - 1)),
  });
}

export const narrow = (part: Partial<View>): void =>
  recount({ view: { ...state.view, ...part }, active: 0, anchor: 0 });

export const isNarrowed = ({ figure, reminded, search }: View = state.view): boolean =>
  figure !== 'all' || reminded !== 'anyReminders' || search.trim() !== '';

export const showAll = (): void => narrow({ figure: 'all', reminded: 'anyReminders', search: '' });

export const clearResult = (): void => change({ result: NOTHING });

/** Returns the selected people in the order of creation. */
export const selectedPeople = (): Person[] => [...people.values()].filter(({ id }) => state.selected.has(id));

/** Selects or clears rows, from `from` to `to`. */
export function select(from: number, to: number, on: boolean): void {
  const selected = new Set(state.selected);
  for (const { id } of state.shown.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (on) selected.add(id);
    else selected.delete(id);
  }
  change({ selected, asking: false, active: to });
}

/** Selects or clears one row; with `extend`, all rows from the last one that was selected alone. */
export function toggle(index: number, extend: boolean): void {
  const person = state.shown[index];
  if (!person) return;
  if (!extend) state.anchor = index;
  select(state.anchor, index, extend || !state.selected.has(person.id));
}

export const selectAll = (on: boolean): void => {
  const { active } = state;
  select(0, state.shown.length - 1, on);
  change({ active });
};
