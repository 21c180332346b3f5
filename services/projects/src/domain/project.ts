import type { Settings, SUMMARY_SETTINGS } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';

/** The settings that hold for new uploads, also of a response that was begun before. */
export type TranscriptionSettings = Pick<Settings, 'transcriptionEnabled' | 'transcriptionLanguage'>;

/** Of a project that is gone. */
export const NO_TRANSCRIPTION: TranscriptionSettings = { transcriptionEnabled: false, transcriptionLanguage: '' };

/** Where the project's events are signed; the secrets are sealed, '' is none. */
export interface WebhookKeys {
  secret: string;
  /** The secret before the last rotation, valid until then. */
  former: { secret: string; until: Date } | null;
  /** Goes up whenever the address is set, also to the same value. */
  targetVersion: number;
}

export interface Project {
  _id: string;
  ownerId: string;
  createdAt: Date;
  /** null: the links never expire. */
  expiresAt: Date | null;
  settings: Settings;
  webhook: WebhookKeys;
}

/** What a list shows of a project. */
export type ProjectSummary = Pick<Project, '_id' | 'createdAt' | 'expiresAt'> &
  Pick<Settings, (typeof SUMMARY_SETTINGS)[number]> & { questionCount: number; webhookEnabled: boolean };

/** How many answers a response to these settings has: one, or one a question. */
export function answersExpected(settings: Pick<Settings, 'interviewQuestions'>): number {
  return Math.max(1, settings.interviewQuestions.length);
}

/** Moves a new sealed secret in; the old one stays valid for the overlap. Clearing the secret ends both at once. */
export function rotateSecret(
  keys: Pick<WebhookKeys, 'secret'>,
  sealed: string,
  until: Date,
): Pick<WebhookKeys, 'secret' | 'former'> {
  const former = sealed !== '' && keys.secret !== '' ? { secret: keys.secret, until } : null;
  return { secret: sealed, former };
}

/** The sealed secrets that sign now, the newest first. */
export function signingSecrets(keys: Pick<WebhookKeys, 'secret' | 'former'>, now: Date): string[] {
  if (keys.secret === '') return [];
  return keys.former && keys.former.until > now ? [keys.secret, keys.former.secret] : [keys.secret];
}

export const noSuchProject = () => new DomainError('not_found', 'There is no such project.');
