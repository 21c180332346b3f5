import type { Settings, SUMMARY_SETTINGS } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import type { Logo } from './logo.ts';
import type { Reminders } from './reminders.ts';

/** The settings whose current values apply to new uploads, even in a response that began before a change. */
export type TranscriptionSettings = Pick<Settings, 'transcriptionEnabled' | 'transcriptionLanguage'>;

/** The settings of an erased project. */
export const NO_TRANSCRIPTION: TranscriptionSettings = { transcriptionEnabled: false, transcriptionLanguage: '' };

/** The secrets that sign the project's events, sealed; '' means no secret. */
export interface WebhookKeys {
  secret: string;
  /** The secret before the last rotation, and the end of its validity. */
  former: { secret: string; until: Date } | null;
  /** Increases whenever the address is set, even to the same value. */
  targetVersion: number;
}

export interface Project {
  _id: string;
  ownerId: string;
  createdAt: Date;
  /** null if the links never expire. */
  expiresAt: Date | null;
  /** When the owner closed the project; absent while it is open. */
  closedAt?: Date;
  settings: Settings;
  /** The age in days at which the project's clips are erased; absent if only the operator's retention applies. */
  retentionDays?: number;
  /** Only for sandboxes: the end time, and the time of the next erasure attempt. */
  sandboxEndsAt?: Date;
  sandboxDueAt?: Date;
  webhook: WebhookKeys;
  /** Present if the project has a logo. The image is read separately. */
  logo?: Pick<Logo, 'mediaType'>;
  /** True if any link or response may have an invitation. Once true, it stays true. */
  hasInvitations?: boolean;
  /** The progress of each chosen reminder; absent if the owner never chose one. */
  reminders?: Reminders;
  /** The time of the next reminder check; absent without reminders. */
  remindAt?: Date;
}

/** The fields of a project that a list shows. */
export type ProjectSummary = Pick<Project, '_id' | 'createdAt' | 'expiresAt' | 'closedAt'> &
  Pick<Settings, (typeof SUMMARY_SETTINGS)[number]> & { questionCount: number; webhookEnabled: boolean };

/** Returns the number of answers in a response with these settings: one, or one per question. */
export function answersExpected(settings: Pick<Settings, 'interviewQuestions'>): number {
  return Math.max(1, settings.interviewQuestions.length);
}

/**
 * Sets a new sealed secret. The current secret stays valid for the overlap. An empty `sealed` ends the current and the
 * former secret at once.
 */
export function rotateSecret(
  keys: Pick<WebhookKeys, 'secret'>,
  sealed: string,
  until: Date,
): Pick<WebhookKeys, 'secret' | 'former'> {
  const former = sealed !== '' && keys.secret !== '' ? { secret: keys.secret, until } : null;
  return { secret: sealed, former };
}

/** Returns the sealed secrets that sign now, the newest first. */
export function signingSecrets(keys: Pick<WebhookKeys, 'secret' | 'former'>, now: Date): string[] {
  if (keys.secret === '') return [];
  return keys.former && keys.former.until > now ? [keys.secret, keys.former.secret] : [keys.secret];
}

export const noSuchProject = () => new DomainError('not_found', 'There is no such project.');
