import { LIMITS } from '@recording-request/contract/limits';
import type { Settings } from '@recording-request/contract/project-settings';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import { type Link, SHARED_POSITION, UNIQUE_USES } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import { checkExpiry, newSettings } from '../domain/settings-rules.ts';
import { inSeconds } from '../domain/time.ts';

export interface ProjectOrder {
  ownerId: string;
  settings: Settings;
  /** The number of unique links. */
  count: number;
  webhookSecret: string;
  /** Undefined if the links never expire. */
  expiresInSeconds: number | undefined;
}

export interface MintedLink {
  link: Link;
  hash: Buffer;
  token: string;
}

/** A new project that is not stored yet, and its tokens, which are shown only once. */
export interface NewProject {
  project: Project;
  projectToken: string;
  dashboardHash: Buffer;
  shared?: MintedLink;
  /** The number of unique links. */
  count: number;
  /** The number of videos to reserve from the allowance. */
  reserves: number;
}

/** Fails with `invalid` when the request breaks a rule. */
export function makeProject(context: Pick<Context, 'checks' | 'secrets'>, order: ProjectOrder, now: Date): NewProject {
  const { count, expiresInSeconds, webhookSecret } = order;
  const fault = context.checks.creation({ ...order.settings, count, webhookSecret });
  if (fault) throw new DomainError('invalid', fault);
  if (expiresInSeconds !== undefined) checkExpiry(expiresInSeconds);
  const settings = newSettings(order.settings);
  const projectId = uuidv7();
  const project: Project = {
    _id: projectId,
    ownerId: order.ownerId,
    createdAt: now,
    expiresAt: expiresInSeconds === undefined ? null : inSeconds(now, expiresInSeconds),
    settings,
    webhook: {
      secret: webhookSecret === '' ? '' : context.secrets.seal(webhookSecret, sealedFor.webhook(projectId)),
      former: null,
      targetVersion: 1,
    },
  };
  const sharedUses = settings.sharedLinkMaxUses;
  const projectToken = mintToken('prj');
  return {
    project,
    projectToken,
    dashboardHash: hashToken(projectToken),
    ...(sharedUses > 0 ? { shared: mintLink(context, project, SHARED_POSITION, sharedUses) } : {}),
    count,
    reserves: count + sharedUses,
  };
}

// 500 tokens: sealing them takes some milliseconds, and together they have some hundred KB.
const MINTED_AT_ONCE = LIMITS.linkPageSize;

/**
 * Yields the unique links of a project in batches, in order of creation, so that 10,000 links are never in memory
 * together.
 */
export function* mintUnique(
  context: Pick<Context, 'secrets'>,
  { project, count }: Pick<NewProject, 'project' | 'count'>,
): Generator<MintedLink[]> {
  for (let made = 0; made < count; made += MINTED_AT_ONCE) {
    const length = Math.min(MINTED_AT_ONCE, count - made);
    yield Array.from({ length }, (_, index) =>
      mintLink(context, project, SHARED_POSITION + 1 + made + index, UNIQUE_USES),
    );
  }
}

function mintLink(
  { secrets }: Pick<Context, 'secrets'>,
  project: Project,
  position: number,
  maxUses: number,
): MintedLink {
  const token = mintToken('vr');
  const id = uuidv7();
  const link: Link = {
    _id: id,
    projectId: project._id,
    ownerId: project.ownerId,
    type: position === SHARED_POSITION ? 'shared' : 'unique',
    position,
    sealedToken: secrets.seal(token, sealedFor.link(id)),
    maxUses,
    claimed: 0,
    landed: 0,
    submissionCount: 0,
    disabled: false,
    openedAt: null,
    submittedAt: null,
    completedAt: null,
    createdAt: project.createdAt,
  };
  return { link, hash: hashToken(token), token };
}
