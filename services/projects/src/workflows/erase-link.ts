import type { Context } from '../context.ts';
import { codesOf } from '../domain/completion-code.ts';
import { type Link, noSuchLink, sharedLinkStays } from '../domain/link.ts';
import { linkClosed, personErased } from '../messages.ts';
import type { ProjectTally } from '../store/erasures.ts';
import type { OwnedLinkKey } from '../store/link-erasures.ts';

type Deps = Pick<Context, 'store'>;

const NOTHING: ProjectTally = { links: 0, people: 0, responses: 0, rememberedAnswers: 0, videosReleased: 0 };

/** Returns the owner's unique link. Fails with `not_found`, and with `unprocessable` for the shared link. */
export async function ownedUniqueLink({ store }: Deps, key: OwnedLinkKey): Promise<Link> {
  const link = await store.links.find(key);
  if (link?.ownerId !== key.ownerId) throw noSuchLink();
  if (link.type === 'shared') throw sharedLinkStays();
  return link;
}

/** Counts what `eraseLink` would remove. */
export async function tallyLink(deps: Deps, key: OwnedLinkKey): Promise<ProjectTally> {
  const link = await linkUnlessProjectErased(deps, key);
  return link ? await tallyOf(deps, link) : NOTHING;
}

/**
 * Permanently erases this service's data of a link. Can be stopped at any line and repeated. Does nothing if the
 * owner's project is already erased.
 */
export async function eraseLink(deps: Deps, key: OwnedLinkKey): Promise<ProjectTally> {
  const { store } = deps;
  const link = await linkUnlessProjectErased(deps, key);
  if (!link) return NOTHING;
  const { ownerId, projectId, linkId } = key;
  const events = {
    // This event comes first, so that the event of the close gets no data either.
    always: [personErased({ projectId, ownerId, linkId })],
    ifOpen: [linkClosed({ _id: linkId, projectId, ownerId })],
  };
  const before = await store.linkErasures.close(key, events);
  for (const id of await store.linkErasures.responsesOf(linkId)) await store.codes.release(projectId, codesOf(id), id);
  const responses = await store.linkErasures.removeResponses(linkId);
  return { ...NOTHING, ...(before ? countsOf(before) : {}), responses };
}

async function tallyOf({ store }: Deps, link: Link): Promise<ProjectTally> {
  const responses = (await store.linkErasures.responsesOf(link._id)).length;
  return { ...NOTHING, ...(link.erasedAt ? {} : countsOf(link)), responses };
}

const countsOf = ({ sealedInvitation }: Link) => ({ links: 1, people: sealedInvitation === undefined ? 0 : 1 });

async function linkUnlessProjectErased(deps: Deps, key: OwnedLinkKey): Promise<Link | undefined> {
  const { ownerId, projectId } = key;
  const isErased = (await deps.store.erasures.find('project', projectId))?.ownerId === ownerId;
  return isErased ? undefined : await ownedUniqueLink(deps, key);
}
