import { type ComponentChildren, h } from 'preact';
import { time } from './time.ts';
import { type Clip, count } from './words.ts';

/** One contributor's pass through an interview: the answers that the page knows, in the order of the questions. */
export interface Person {
  key: string;
  answers: Clip[];
}

/** Response ids are the contributors' own choice: only with the link are they one contributor's. */
export const personKey = (clip: Clip): string =>
  clip.responseSessionId ? `${clip.tokenId} ${clip.responseSessionId}` : clip.submissionId;

/** Clips, newest first, by who recorded them; who answered last comes first. */
export function personsOf(clips: Clip[]): Person[] {
  const persons = new Map<string, Person>();
  for (const clip of clips) {
    const key = personKey(clip);
    const person = persons.get(key) ?? { key, answers: [] };
    person.answers.push(clip);
    persons.set(key, person);
  }
  for (const { answers } of persons.values()) answers.sort((a, b) => (a.questionIndex ?? 0) - (b.questionIndex ?? 0));
  return [...persons.values()];
}

/** A contributor with room for the cards of their answers. */
export function personItem(
  { key, answers }: Person,
  questionCount: number,
  cards: ComponentChildren,
): ComponentChildren {
  const newest = answers.reduce((a, b) => (a.submissionId > b.submissionId ? a : b));
  const last = Math.max(...answers.map(({ questionIndex }) => questionIndex ?? 0));
  const whole = answers.length === questionCount && last < questionCount;
  const told = whole
    ? `all ${count(answers.length, 'answer')}`
    : last < questionCount
      ? `${answers.length} of ${count(questionCount, 'answer')}`
      : count(answers.length, 'answer');
  return h(
    'li',
    { key, class: 'person', 'data-person': key },
    h('h3', null, 'Contributor, ', time(newest.createdAt), h('span', { class: 'soft' }, ` · ${told}`)),
    h('ol', { class: 'grid' }, cards),
  );
}
