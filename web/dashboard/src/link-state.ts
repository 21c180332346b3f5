import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';
import { count } from './format.ts';

const LINK_STATES: Record<RecipientLinkJson['status'], string> = {
  active: 'Not opened yet',
  exhausted: 'Clip received',
  expired: 'Expired',
  disabled: 'Closed',
};

/** Returns whether some answers of the link's response have landed and others have not. */
export const isBegun = ({ submissionCount, completedAt }: RecipientLinkJson): boolean =>
  submissionCount > 0 && completedAt === null;

/** Returns the state of a personal link. `questionCount` is the project's current number of questions. */
export function linkState(link: RecipientLinkJson, questionCount = 0): string {
  if (isBegun(link)) {
    const answers = answersOf(link.submissionCount, questionCount);
    return link.status === 'disabled' ? `${LINK_STATES.disabled} with ${answers}` : answers;
  }
  if (link.status !== 'active') return LINK_STATES[link.status];
  if (link.remainingUses === 0) return 'Recording now';
  return link.openedAt ? 'Opened, nothing sent yet' : LINK_STATES.active;
}

/**
 * Shows the number of landed answers. The response keeps the questions of its start, so the text omits the project's
 * current number of questions when it cannot match.
 */
const answersOf = (landed: number, questionCount: number): string =>
  landed < questionCount ? `${landed} of ${count(questionCount, 'answer')}` : `${count(landed, 'answer')} so far`;

/** Returns the state of a personal link's reminders; undefined if none was sent or stopped. */
export function reminderState({ remindersSent, remindersStopped }: RecipientLinkJson): string | undefined {
  const sent = remindersSent > 0 ? `${count(remindersSent, 'reminder')} sent` : undefined;
  if (!remindersStopped) return sent;
  return sent ? `${sent}, then stopped` : 'Reminders stopped';
}

export function sharedLinkState(link: SharedRecipientLinkJson): string {
  const left = `${link.remainingUses} of ${link.maxUses} uses left`;
  if (link.status === 'active') return link.remainingUses > 0 ? `Open: ${left}` : 'Full: no uses left';
  return { exhausted: 'Used up', expired: `Expired with ${left}`, disabled: `Closed with ${left}` }[link.status];
}
