import { linkStatusName } from '@recording-request/contract/present';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import type { ResolveRecipientResponse } from '@recording-request/proto/projects/v1/projects';

/** Returns whether a contributor can record now (`active`), or why not. */
export function statusOf({
  status,
  projectClosed,
  underWay,
}: ResolveRecipientResponse): RecipientLinkJson['status'] | 'closed' {
  if (underWay) return 'active';
  const state = linkStatusName(status);
  return state === 'expired' && projectClosed ? 'closed' : state;
}
