import { csvCell } from '@recording-request/contract/csv';
import type { PersonStateName } from '@recording-request/contract/resources/fields';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';

// The people of a project: what the table keeps of each personal link, and how it finds and orders them.

/** One personal link and its person. */
export interface Person {
  id: string;
  /** The position of the link in the order of creation, from 1. */
  number: number;
  /** The name, or else the reference, or else the email address; "" if the owner stated none of them. */
  label: string;
  link: Kept;
  changedAt: number;
  /** Milliseconds; undefined without a deadline. */
  dueAt: number | undefined;
  /** The texts that a search looks at, folded. */
  text: string;
  /** The page of the list that has the link. */
  page: number;
}

const FIELDS = [
  'tokenId',
  'token',
  'status',
  'submissionCount',
  'recipientUrl',
  'recipient',
  'metadata',
  'dueAt',
  'changedAt',
  'state',
  'answersSent',
  'questionCount',
  'remindersSent',
  'remindersStopped',
] as const satisfies (keyof RecipientLinkJson)[];
type Kept = Pick<RecipientLinkJson, (typeof FIELDS)[number]>;

export function personOf(received: RecipientLinkJson, number: number, page: number): Person {
  const link = Object.fromEntries(FIELDS.map(field => [field, received[field]])) as unknown as Kept;
  const { recipient, metadata } = link;
  const stated = [recipient?.name, recipient?.reference, recipient?.email];
  return {
    ...{ id: link.tokenId, number, link, page },
    label: stated.find(Boolean) ?? '',
    changedAt: Date.parse(link.changedAt),
    dueAt: link.dueAt === null ? undefined : Date.parse(link.dueAt),
    text: folded([...stated, String(number), ...Object.values(metadata)].filter(Boolean).join('\n')),
  };
}

/** Returns a text without letter case and marks, for a search. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Returns whether the deadline has passed and the person has not sent everything. */
export const isOverdue = ({ dueAt, link }: Person, now: number): boolean =>
  dueAt !== undefined && dueAt < now && link.state !== 'sent' && link.state !== 'closed';

export const FIGURES = ['all', 'invited', 'opened', 'recording', 'sent', 'overdue', 'closed'] as const;
export type Figure = (typeof FIGURES)[number];
export const REMINDED = ['anyReminders', 'neverReminded', 'wasReminded', 'remindersStopped'] as const;
export type Reminded = (typeof REMINDED)[number];
export const COLUMNS = ['person', 'state', 'changed', 'clips', 'reminders', 'due'] as const;
export type Column = (typeof COLUMNS)[number];

export interface View {
  figure: Figure;
  reminded: Reminded;
  search: string;
  /** undefined: the order of creation. */
  sort: Column | undefined;
  descending: boolean;
}

const isIn = (person: Person, figure: Figure, now: number): boolean =>
  figure === 'all' || (figure === 'overdue' ? isOverdue(person, now) : person.link.state === figure);

const REMINDED_TESTS: Record<Reminded, (link: Kept) => boolean> = {
  anyReminders: () => true,
  neverReminded: ({ remindersSent }) => remindersSent === 0,
  wasReminded: ({ remindersSent }) => remindersSent > 0,
  remindersStopped: ({ remindersStopped }) => remindersStopped,
};

/** Returns how many people each figure counts. */
export function countFigures(people: Iterable<Person>, now: number): Record<Figure, number> {
  const counts = Object.fromEntries(FIGURES.map(figure => [figure, 0])) as Record<Figure, number>;
  for (const person of people) for (const figure of FIGURES) if (isIn(person, figure, now)) counts[figure] += 1;
  return counts;
}

/** Returns the people that match, in the chosen order. */
export function shownOf(people: Iterable<Person>, view: View, now: number): Person[] {
  const words = folded(view.search).split(/\s+/u).filter(Boolean);
  const found = [...people].filter(
    person =>
      isIn(person, view.figure, now) &&
      REMINDED_TESTS[view.reminded](person.link) &&
      words.every(word => person.text.includes(word)),
  );
  const { sort } = view;
  if (sort === undefined) return found;
  const compare = COMPARE[sort];
  const direction = view.descending ? -1 : 1;
  return found.sort((a, b) => missing(sort, a) - missing(sort, b) || direction * compare(a, b) || a.number - b.number);
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const STATES: (PersonStateName | null)[] = ['invited', 'opened', 'recording', 'sent', 'closed'];

const COMPARE: Record<Column, (a: Person, b: Person) => number> = {
  person: (a, b) => collator.compare(a.label, b.label),
  state: (a, b) => STATES.indexOf(a.link.state) - STATES.indexOf(b.link.state),
  changed: (a, b) => a.changedAt - b.changedAt,
  clips: (a, b) => a.link.submissionCount - b.link.submissionCount,
  reminders: (a, b) => a.link.remindersSent - b.link.remindersSent,
  due: (a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0),
};

/** Returns 1 for a person without the column's value: these come last in both directions. */
const missing = (sort: Column, { label, dueAt }: Person): number =>
  Number((sort === 'person' && label === '') || (sort === 'due' && dueAt === undefined));

/** Returns whether the link can be copied: the operator has not lost the key of its token. */
export const hasAddress = ({ link }: Person): boolean => link.token !== '';

const CELLS: [name: string, cell: (person: Person) => string | number | null][] = [
  ['name', ({ link }) => link.recipient?.name ?? null],
  ['reference', ({ link }) => link.recipient?.reference ?? null],
  ['email', ({ link }) => link.recipient?.email ?? null],
  ['locale', ({ link }) => link.recipient?.locale ?? null],
  ['recipientUrl', person => (hasAddress(person) ? person.link.recipientUrl : null)],
  ['state', ({ link }) => link.state],
  ['dueAt', ({ link }) => link.dueAt],
  ['tokenId', ({ id }) => id],
  ['metadata', ({ link: { metadata } }) => (Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata))],
  ['remindersSent', ({ link }) => link.remindersSent],
  ['remindersStopped', ({ link }) => String(link.remindersStopped)],
];

/** Returns a table with the columns of links.csv. Its byte order mark shows a spreadsheet that it is UTF-8. */
export const csvOf = (people: Person[]): string =>
  `\ufeff${CELLS.map(([name]) => name).join()}\r\n${people
    .map(person => `${CELLS.map(([, cell]) => csvCell(cell(person))).join()}\r\n`)
    .join('')}`;
