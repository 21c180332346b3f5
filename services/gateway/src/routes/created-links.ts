import { presentCreatedLink } from '@recording-request/contract/present';
import type { Invitation, Link } from '@recording-request/proto/projects/v1/projects';

/**
 * Returns a function that presents pages of created links in their order. Takes their invitations from the request, so
 * that a repeated request gets the first response even after changes.
 */
export function presentInOrder(
  invitations: readonly Invitation[],
  context: { baseUrl: string; expiresAt: Date | undefined },
) {
  let next = 0;
  return ({ links }: { links: Link[] }) =>
    links.map(link => presentCreatedLink(link, { ...context, invitation: invitations[next++] }));
}
