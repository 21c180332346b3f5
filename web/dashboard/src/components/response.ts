import { type ComponentChildren, h } from 'preact';
import { type Clip, personOf } from '../clip.ts';
import { count } from '../format.ts';
import { time } from './time.ts';

/** One contributor's pass through an interview: the answers in the page, in the order of the questions. */
export interface ContributorResponse {
  key: string;
  answers: Clip[];
}

/**
 * Returns a key from the ids of the link and the response. A response id alone is not unique, because contributors
 * choose it.
 */
export const responseKey = (clip: Clip): string =>
  clip.responseSessionId ? `${clip.tokenId} ${clip.responseSessionId}` : clip.submissionId;

/** Groups clips, newest first, by contributor; the contributor with the latest answer comes first. */
export function responsesOf(clips: Clip[]): ContributorResponse[] {
  const responses = new Map<string, ContributorResponse>();
  for (const clip of clips) {
    const key = responseKey(clip);
    const response = responses.get(key) ?? { key, answers: [] };
    response.answers.push(clip);
    responses.set(key, response);
  }
  for (const { answers } of responses.values()) answers.sort((a, b) => (a.questionIndex ?? 0) - (b.questionIndex ?? 0));
  return [...responses.values()];
}

/** Renders a contributor with the cards of their answers. */
export function responseItem(
  { key, answers }: ContributorResponse,
  questionCount: number,
  cards: ComponentChildren,
): ComponentChildren {
  const newest = answers.reduce((a, b) => (a.submissionId > b.submissionId ? a : b));
  const last = Math.max(...answers.map(({ questionIndex }) => questionIndex ?? 0));
  const whole = answers.length === questionCount && last < questionCount;
  const summary = whole
    ? `all ${count(answers.length, 'answer')}`
    : last < questionCount
      ? `${answers.length} of ${count(questionCount, 'answer')}`
      : count(answers.length, 'answer');
  return h(
    'li',
    { key, class: 'person', 'data-person': key },
    h(
      'h3',
      null,
      h('bdi', null, personOf(newest) || 'Contributor'),
      ', ',
      time(newest.createdAt),
      h('span', { class: 'soft' }, ` · ${summary}`),
    ),
    h('ol', { class: 'grid' }, cards),
  );
}
