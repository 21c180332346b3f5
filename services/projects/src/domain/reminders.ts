import type { Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import { hasExpired, type Link, type Term } from './link.ts';

/**
 * The progress of one kind of reminder. `a3`: three days after the link was created; `b24`: 24 hours before the
 * deadline. A link gets each kind at most once.
 */
export interface ReminderProgress {
  /** The time when the owner chose this kind. Reminders that were due before are not sent. */
  since: Date;
  /** The last checked link: its position, and for `b` its deadline. */
  position: number;
  dueAt?: Date;
}

export type Reminders = Record<string, ReminderProgress>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The shortest time between a link's last reminder and a reminder that its owner requests. */
export const REMIND_AGAIN_MS = HOUR_MS;

export interface ReminderTime {
  key: string;
  kind: 'after' | 'before';
  /** Returns the time of a link's reminder. */
  of(link: Pick<Link, 'createdAt' | 'dueAt'>): Date;
  ms: number;
}

export function reminderTimes({ afterDays, beforeDueHours }: Settings['remind']): ReminderTime[] {
  return [
    ...afterDays.map(days => after(days, days * DAY_MS)),
    ...beforeDueHours.map(hours => before(hours, hours * HOUR_MS)),
  ];
}

const after = (days: number, ms: number): ReminderTime => ({
  key: `a${days}`,
  kind: 'after',
  ms,
  of: ({ createdAt }) => new Date(createdAt.getTime() + ms),
});

// Only links with a deadline have such a time.
const before = (hours: number, ms: number): ReminderTime => ({
  key: `b${hours}`,
  kind: 'before',
  ms,
  of: ({ dueAt }) => new Date(dueAt!.getTime() - ms),
});

/**
 * Returns whether a due reminder may be sent. It may not if it was sent before, if the deadline has passed, or if it
 * was already due when the link, its deadline or the project's reminder was set.
 */
export function isFresh(link: Link, time: ReminderTime, { since }: ReminderProgress, now: Date): boolean {
  if (link.reminded?.includes(time.key)) return false;
  const set = time.kind === 'after' ? [since] : [since, link.createdAt, ...(link.dueSince ? [link.dueSince] : [])];
  return set.every(at => time.of(link) > at) && (time.kind === 'after' || link.dueAt! > now);
}

/** Returns the progress for these reminder times. A time that the owner had already chosen keeps its progress. */
export function remindersFor(remind: Settings['remind'], before: Reminders, now: Date): Reminders {
  return Object.fromEntries(reminderTimes(remind).map(({ key }) => [key, before[key] ?? { since: now, position: 0 }]));
}

/** Returns the fields that a project stores for these reminder times. */
export function reminderFields(remind: Settings['remind'], before: Reminders, now: Date) {
  const reminders = remindersFor(remind, before, now);
  return { reminders, remindAt: Object.keys(reminders).length > 0 ? now : null };
}

export type RemindRefusal = 'shared' | 'disabled' | 'sent' | 'stopped' | 'paused' | 'closed' | 'expired' | 'recent';

/** Returns the reason why a project may send no reminders now; undefined if it may. */
export function projectRefusal(project: Term, now: Date): RemindRefusal | undefined {
  if (project.closedAt) return 'closed';
  return hasExpired(project, now) ? 'expired' : undefined;
}

/** Returns the reason why a link may get no reminder; undefined if it may. Checks only the link, not its project. */
export function linkRefusal(link: Link): RemindRefusal | undefined {
  if (link.type === 'shared') return 'shared';
  if (link.landed > 0 || link.completedAt) return 'sent';
  if (link.disabled) return 'disabled';
  if (link.remindersStopped) return 'stopped';
  return link.ownerStoppedReminders ? 'paused' : undefined;
}

/** Returns whether it is too early for another reminder on the owner's request. */
export const isRecent = ({ remindedAt }: Pick<Link, 'remindedAt'>, now: Date): boolean =>
  remindedAt !== undefined && now.getTime() < remindedAt.getTime() + REMIND_AGAIN_MS;

const PERSON_STOPPED = 'The person of this link stopped the reminders';
const REFUSALS: Record<Exclude<RemindRefusal, 'recent'>, string> = {
  shared: 'The shared link is for everyone, so it reminds nobody.',
  sent: 'The person of this link has sent a clip already.',
  disabled: 'This recording link is disabled.',
  stopped: `${PERSON_STOPPED}.`,
  paused: 'You stopped the reminders of this link: set its remindersStopped to false first.',
  closed: 'This project is closed.',
  expired: 'This recording link has expired.',
};

/**
 * Fails with `invalid` if the owner cannot stop or resume the reminders of this link: the shared link has none, and the
 * person's own stop is final.
 */
export function checkOwnersStop({ type, remindersStopped }: Link, stops: boolean): void {
  if (type === 'shared') throw new DomainError('invalid', `remindersStopped: ${REFUSALS.shared}`);
  if (remindersStopped && !stops)
    throw new DomainError(
      'invalid',
      `remindersStopped must stay true. ${PERSON_STOPPED}, and nobody else can resume them.`,
    );
}

// Does not use `conflict`, because clients retry conflicts.
export const remindRefused = (refusal: RemindRefusal): DomainError =>
  refusal === 'recent'
    ? new DomainError('too_many', 'This link had a reminder less than an hour ago: try again later.', {
        reason: 'reminded_recently',
        retryAfterSec: REMIND_AGAIN_MS / 1_000,
      })
    : new DomainError('unprocessable', REFUSALS[refusal], { reason: 'not_remindable' });
