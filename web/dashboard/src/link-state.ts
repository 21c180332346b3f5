import type { RecipientLinkJson, SharedRecipientLinkJson } from '@recording-request/contract/resources/link';

const LINK_STATES: Record<RecipientLinkJson['status'], string> = {
  active: 'Not opened yet',
  exhausted: 'Clip received',
  expired: 'Expired',
  disabled: 'Closed',
};

/** What became of a personal link. */
export function linkState(link: RecipientLinkJson): string {
  if (link.status !== 'active') return LINK_STATES[link.status];
  if (link.remainingUses === 0) return 'Recording now';
  return link.openedAt ? 'Opened, nothing sent yet' : LINK_STATES.active;
}

export function sharedLinkState(link: SharedRecipientLinkJson): string {
  const left = `${link.remainingUses} of ${link.maxUses} uses left`;
  if (link.status === 'active') return link.remainingUses > 0 ? `Open: ${left}` : 'Full: no uses left';
  return { exhausted: 'Used up', expired: `Expired with ${left}`, disabled: `Closed with ${left}` }[link.status];
}
