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
 * A response's share of its link. `claiming`: it has requested a use, and the result is unknown. `held`: it has one
 * use, until the use is released or a clip lands. `released`: it has no use. `landed`: it has one final use.
 */
export type UseState = 'claiming' | 'held' | 'released' | 'landed';

/** One contributor's pass through a link, with the settings at its start. */
export interface Response {
  /** The key that responseKey returns: a client's session id is unique only within its link. */
  _id: string;
  sessionId: string;
  linkId: string;
  projectId: string;
  ownerId: string;
  link: LinkDetails;
  /** Set for the only response of a unique link. */
  solo?: true;
  settings: Settings;
  /** The reference from the address that the contributor opened, sealed; only in responses of a shared link. */
  sealedReference?: string;
  /** The keyed digest of this reference. */
  personKey?: string;
  /** Set when terms were accepted; the settings have their text. */
  terms: { sha256: string; acceptedAt: Date } | null;
  use: UseState;
  /** True if a client has begun to send bytes since the claim. */
  hasBytes: boolean;
  heldUntil: Date;
  answers: Answer[];
  complete: boolean;
  createdAt: Date;
  /** The running change of the link's counters; a response has at most one. */
  transfer?: Transfer;
}

export function responseKey(linkId: string, sessionId: string): string {
  return `${linkId}:${sessionId}`;
}

/** Returns the answers with a new landed one added, and whether they complete the response. */
export function withAnswer(
  response: Pick<Response, 'answers' | 'settings'>,
  answer: Answer,
): Pick<Response, 'answers' | 'complete'> {
  const answers = [...response.answers, answer].sort((a, b) => a.questionIndex - b.questionIndex);
  return { answers, complete: answers.length >= answersExpected(response.settings) };
}

/** Returns whether every device that has this response's unique link may continue the response. */
export function isUnderWay({ use, complete }: Pick<Response, 'use' | 'complete'>): boolean {
  return use !== 'released' && !complete;
}

/** Returns whether these settings have a question at this index. */
export function asksQuestion(settings: Pick<Settings, 'interviewQuestions'>, index: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < answersExpected(settings);
}

/** Returns the transfer for another landed clip, by the state of the use; undefined without a use. */
export function landingKind(use: UseState): 'land' | 'count' | undefined {
  if (use === 'held') return 'land';
  return use === 'landed' ? 'count' : undefined;
}

/**
 * Returns the record of accepted terms; null if these settings require none. Fails with `invalid` if required terms
 * were not accepted.
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
