import { createHash } from 'node:crypto';
import type { Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import type { LinkDetails } from './link.ts';
import { answersExpected } from './project.ts';
import type { Transfer } from './transfer.ts';

export interface Answer {
  /** 0 outside interviews. */
  questionIndex: number;
  submissionId: string;
  at: Date;
}

/**
 * A response's share of its link. `claiming`: asked for, not known yet. `held`: one use, until it is given back or
 * lands. `released`: none. `landed`: one use for good.
 */
export type UseState = 'claiming' | 'held' | 'released' | 'landed';

/** One contributor's pass through a link, with the settings it was begun with. */
export interface Response {
  /** See responseKey: a client's own session id is unique only within its link. */
  _id: string;
  sessionId: string;
  linkId: string;
  projectId: string;
  ownerId: string;
  link: LinkDetails;
  /** Present on unique links: their one response. */
  solo?: true;
  settings: Settings;
  /** Set where terms were accepted; their text is in the settings. */
  terms: { sha256: string; acceptedAt: Date } | null;
  use: UseState;
  /** Whether a byte was announced since the use was claimed. */
  hasBytes: boolean;
  heldUntil: Date;
  answers: Answer[];
  complete: boolean;
  createdAt: Date;
  /** The change of the link's counters that is under way; at most one. */
  transfer?: Transfer;
}

export function responseKey(linkId: string, sessionId: string): string {
  return `${linkId}:${sessionId}`;
}

/** The answers after one more landed, and whether that was the last. */
export function withAnswer(
  response: Pick<Response, 'answers' | 'settings'>,
  answer: Answer,
): Pick<Response, 'answers' | 'complete'> {
  const answers = [...response.answers, answer].sort((a, b) => a.questionIndex - b.questionIndex);
  return { answers, complete: answers.length >= answersExpected(response.settings) };
}

/** Whether any device that has the unique link of this response may continue it. */
export function isUnderWay({ use, complete }: Pick<Response, 'use' | 'complete'>): boolean {
  return use !== 'released' && !complete;
}

/** Whether these settings ask a question at this index. */
export function asksQuestion(settings: Pick<Settings, 'interviewQuestions'>, index: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < answersExpected(settings);
}

/** How landing one more clip changes a use in this state; undefined where there is no use to land on. */
export function landingKind(use: UseState): 'land' | 'count' | undefined {
  if (use === 'held') return 'land';
  return use === 'landed' ? 'count' : undefined;
}

/**
 * The record of an acceptance, null where these settings require none. Fails with `invalid` where terms are required
 * and were not accepted.
 */
export function acceptedTerms(
  settings: Pick<Settings, 'requireTerms' | 'termsText'>,
  accepted: boolean,
  now: Date,
): Response['terms'] {
  if (!settings.requireTerms) return null;
  if (!accepted)
    throw new DomainError('invalid', 'termsAccepted must be true: this project requires its terms.', {
      reason: 'terms_required',
    });
  return { sha256: createHash('sha256').update(settings.termsText, 'utf8').digest('hex'), acceptedAt: now };
}

export const noSuchResponse = () => new DomainError('not_found', 'There is no such response.');
