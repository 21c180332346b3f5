import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import { checkedInvitation, type Invitation, identityOf } from '../domain/invitation.ts';
import { type Link, linkErased, noSuchLink, SHARED_POSITION } from '../domain/link.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { checkOwnersStop } from '../domain/reminders.ts';
import { sealedFor } from '../domain/sealing.ts';
import { linkClosed } from '../messages.ts';
import type { LinkKey } from '../store/links.ts';
import type { ClientSession } from '../store/transaction.ts';
import { openInvitation, sealInvitation } from './invitations.ts';

/** Undefined fields stay unchanged; null removes a value. */
export interface LinkUpdate extends LinkKey {
  ownerId: string;
  disabled: boolean | undefined;
  /** The owner's own stop of the reminders. */
  remindersStopped: boolean | undefined;
  invitation: { [K in keyof Invitation]?: Invitation[K] | undefined };
}

type Found = { project: Project; link: Link };

/** Fails with `not_found`; with `invalid` if a value is wrong, or if another link has the same person. */
export async function updateLink(context: Context, update: LinkUpdate, signal: AbortSignal): Promise<Found> {
  const { store } = context;
  const { ownerId, projectId, disabled, invitation, remindersStopped } = update;
  if (remindersStopped !== undefined) await checkStop(context, update, remindersStopped);
  if (Object.values(invitation).every(value => value === undefined)) {
    const project = await store.projects.find(ownerId, projectId);
    if (!project) throw noSuchProject();
    if (disabled) await disable(context, update);
    const link = await store.links.update(update, { disabled, ownerStoppedReminders: remindersStopped });
    if (!link) throw (await store.links.find(update))?.ownerId === ownerId ? linkErased() : noSuchLink();
    return { project, link };
  }
  return await store.transaction(session => changeInvitation(context, update, session), signal);
}

async function changeInvitation(context: Context, update: LinkUpdate, session: ClientSession): Promise<Found> {
  const { store } = context;
  const { ownerId, projectId, disabled, remindersStopped: ownerStoppedReminders } = update;
  const project = await store.projects.lockPeople(ownerId, projectId, { invites: true }, session);
  if (!project) throw noSuchProject();
  const before = await store.people.find(update, session);
  if (!before) throw noSuchLink();
  if (before.erasedAt) throw linkErased();
  const invitation = changed(openInvitation(context, before), update.invitation);
  if (before.position === SHARED_POSITION && invitation.person)
    throw new DomainError('invalid', 'recipient: the shared link is for everyone, so it has no recipient.');
  await refuseDuplicate(context, before, invitation, session);
  if (disabled) await disable(context, update, session);
  const nothing = { sealedInvitation: null, personKey: null, dueAt: null };
  const dueSince = invitation.dueAt?.getTime() === before.dueAt?.getTime() ? undefined : context.clock.now();
  const change = {
    ...nothing,
    ...sealInvitation(context, before, invitation),
    disabled,
    dueSince,
    ownerStoppedReminders,
  };
  const link = await store.people.update(update, change, session);
  if (!link) throw noSuchLink();
  return { project, link };
}

/** The person may stop after this check: the link then has both stops, and the answer shows it as stopped. */
async function checkStop({ store }: Context, { ownerId, ...key }: LinkUpdate, stops: boolean): Promise<void> {
  const link = await store.links.find(key);
  if (link?.ownerId !== ownerId) throw noSuchLink();
  checkOwnersStop(link, stops);
}

/** Only the request that disables an active link adds the event. */
async function disable({ store }: Context, { linkId, projectId, ownerId }: LinkUpdate, session?: ClientSession) {
  await store.links.disable({ linkId, projectId, ownerId }, linkClosed({ _id: linkId, projectId, ownerId }), session);
}

function changed(before: Invitation, change: LinkUpdate['invitation']): Invitation {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return checkedInvitation({ ...before, ...Object.fromEntries(given) });
}

async function refuseDuplicate(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  { _id, projectId }: Link,
  { person }: Invitation,
  session: ClientSession,
): Promise<void> {
  const identity = person ? identityOf(person) : undefined;
  if (identity === undefined) return;
  const keys = secrets.digests(identity, sealedFor.person(projectId));
  const links = await store.people.linksOf(projectId, keys, session);
  const other = links.find(({ linkId }) => linkId !== _id);
  if (!other) return;
  throw new DomainError('invalid', `recipient: the link ${other.linkId} has the same reference or email.`);
}
