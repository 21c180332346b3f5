import type { Settings } from '@recording-request/contract/project-settings';
import { hasExpired, type Link, type Term } from './link.ts';

/**
 * How far the reminders of one time have come. `a3` is the reminder three days after a link was made, `b24` the one 24
 * hours before its deadline. A link gets each at most once.
 */
export interface ReminderProgress {
  /** When the owner chose this time. Reminders that were due before are left out. */
  since: Date;
  /** The last link that was looked at: its position, and for `b` its deadline. */
  position: number;
  dueAt?: Date;
}

export type Reminders = Record<string, ReminderProgress>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface ReminderTime {
  key: string;
  kind: 'after' | 'before';
  ms: number;
}

export function reminderTimes({ afterDays, beforeDueHours }: Settings['remind']): ReminderTime[] {
  return [
    ...afterDays.map(days => ({ key: `a${days}`, kind: 'after' as const, ms: days * DAY_MS })),
    ...beforeDueHours.map(hours => ({ key: `b${hours}`, kind: 'before' as const, ms: hours * HOUR_MS })),
  ];
}

/** Returns the progress of a project with these times. A time that the owner had chosen before keeps its progress. */
export function remindersFor(remind: Settings['remind'], before: Reminders, now: Date): Reminders {
  return Object.fromEntries(reminderTimes(remind).map(({ key }) => [key, before[key] ?? { since: now, position: 0 }]));
}

/** Returns whether a project sends reminders now. */
export const mayRemind = (project: Term, now: Date): boolean =>
  !hasExpired(project, now);

/** Returns whether the person of a link may be reminded, as far as the link alone shows. */
export const isRemindable = ({ type, disabled, landed, completedAt, remindersStopped }: Link): boolean =>
  type === 'unique' && !disabled && landed === 0 && !completedAt && !remindersStopped;

/** Returns the stored fields of a project with these times. */
export function reminderFields(remind: Settings['remind'], before: Reminders, now: Date) {
  const reminders = remindersFor(remind, before, now);
  return { reminders, remindAt: Object.keys(reminders).length > 0 ? now : null };
}
