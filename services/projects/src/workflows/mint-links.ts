import { LIMITS } from '@recording-request/contract/limits';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import { type Invitation, NOTHING_STATED } from '../domain/invitation.ts';
import { type Link, SHARED_POSITION, UNIQUE_USES } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { ClientSession } from '../store/transaction.ts';
import { sealInvitation } from './invitations.ts';

export interface MintedLink {
  link: Link;
  hash: Buffer;
  token: string;
  invitation: Invitation;
}

/** Unique links to create. */
export interface LinkOrder {
  project: Project;
  count: number;
  /** The invitations of the first links; the other links have none. */
  invitations: Invitation[];
  /** The position of the link before the first one. */
  after: number;
  /**
   * Returns the creation time; called for each batch. A cached sum of links is valid until a link has a later time of
   * change, so a new link must not have an earlier time than the last change of another link.
   */
  now(): Date;
}

// Sealing 500 tokens takes a few milliseconds, and all of them take a few hundred KB.
const MINTED_AT_ONCE = LIMITS.linkPageSize;
// The stored result contains the first links, and a MongoDB document can be at most 16 MB long.
const FIRST_BYTES = 2 * 1024 * 1024;

/**
 * Makes and inserts the links in batches, so that 10,000 links are never in memory together. Returns the first links;
 * clients read the others in pages.
 */
export async function insertUnique(
  context: Pick<Context, 'secrets' | 'store'>,
  order: LinkOrder,
  session: ClientSession,
): Promise<MintedLink[]> {
  const { project, count, invitations, after, now } = order;
  let first: MintedLink[] | undefined;
  for (let made = 0; made < count; made += MINTED_AT_ONCE) {
    const length = Math.min(MINTED_AT_ONCE, count - made);
    const createdAt = now();
    const minted = Array.from({ length }, (_, index) => {
      const position = after + made + index + 1;
      return mintLink(context, project, { position, createdAt, invitation: invitations[made + index] });
    });
    await context.store.links.insertMany(minted, session);
    first ??= firstOf(minted);
  }
  return first ?? [];
}

/** Returns the first links of a batch whose invitations fit together into FIRST_BYTES; always at least one link. */
function firstOf(minted: MintedLink[]): MintedLink[] {
  let bytes = 0;
  const end = minted.findIndex(({ link }, index) => {
    bytes += link.sealedInvitation?.length ?? 0;
    return index > 0 && bytes > FIRST_BYTES;
  });
  return end === -1 ? minted : minted.slice(0, end);
}

interface LinkFields {
  position: number;
  maxUses?: number;
  createdAt?: Date;
  invitation?: Invitation | undefined;
}

export function mintLink(
  context: Pick<Context, 'secrets'>,
  project: Project,
  { position, maxUses = UNIQUE_USES, createdAt = project.createdAt, invitation = NOTHING_STATED }: LinkFields,
): MintedLink {
  const token = mintToken('vr');
  const _id = uuidv7();
  const projectId = project._id;
  const link: Link = {
    _id,
    projectId,
    ownerId: project.ownerId,
    type: position === SHARED_POSITION ? 'shared' : 'unique',
    position,
    sealedToken: context.secrets.seal(token, sealedFor.link(_id)),
    maxUses,
    claimed: 0,
    landed: 0,
    submissionCount: 0,
    disabled: false,
    openedAt: null,
    submittedAt: null,
    completedAt: null,
    createdAt,
    changedAt: createdAt,
    ...sealInvitation(context, { _id, projectId }, invitation),
  };
  return { link, hash: hashToken(token), token, invitation };
}
