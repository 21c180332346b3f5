import type { Context } from '../context.ts';
import { SHARED_POSITION } from '../domain/link.ts';
import { responseKey } from '../domain/response.ts';
import { personErased } from '../messages.ts';

export interface ForgottenPerson {
  references: number;
  people: number;
  /** The link whose events lose their data; "" if no events do. */
  linkId: string;
}

const NOBODY: ForgottenPerson = { references: 0, people: 0, linkId: '' };

/**
 * Removes the person of a response whose last clip is erased: the person of its unique link, or its reference on a
 * shared link. Ignores an unknown id, because it must not stop the erasure of a clip.
 */
export async function forgetPerson(
  { store }: Pick<Context, 'store'>,
  about: { projectId: string; linkId: string; responseSessionId: string },
  dryRun: boolean,
): Promise<ForgottenPerson> {
  const { projectId, linkId, responseSessionId } = about;
  const link = await store.links.find(about);
  if (!link) return NOBODY;
  const { ownerId } = link;
  if (link.position === SHARED_POSITION) {
    const responseId = responseKey(linkId, responseSessionId);
    const removed = await (dryRun ? store.people.hasReference : store.people.forgetReference)(projectId, responseId);
    return { ...NOBODY, references: removed ? 1 : 0 };
  }
  // Without invitations, no event about a link contains a person.
  if (!(await store.projects.nameOf(ownerId, projectId))?.hasInvitations) return NOBODY;
  const event = personErased({ projectId, ownerId, linkId });
  const removed = dryRun ? link.sealedInvitation !== undefined : await store.people.forget(about, event);
  return { references: 0, people: removed ? 1 : 0, linkId };
}
