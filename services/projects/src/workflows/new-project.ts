import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { uuidv7 } from '@recording-request/kit/ids';
import type { CreateProjectRequest } from '@recording-request/proto/projects/v1/projects';
import { type Context, checked, inSeconds, sealedFor } from '../context.ts';
import { SHARED_POSITION } from '../domain/link.ts';
import type { Project, Settings } from '../domain/project.ts';
import { checkCount, checkExpiry, checkedSettings, checkSecret, LIMITS, RuleBroken } from '../domain/settings-rules.ts';
import { mapInTurns } from '../rpc/project-messages.ts';
import type { NewLink } from '../store/links.ts';

/** A project with its links, made but not stored, and the tokens that are shown once. */
export interface NewProject {
  project: Project;
  projectToken: string;
  dashboardHash: Buffer;
  shared?: { link: NewLink; token: string };
  unique: { link: NewLink; token: string }[];
  /** What it takes of the allowance. */
  reserves: number;
}

/** Throws DomainError `invalid` for a request that breaks a rule. */
export async function makeProject(context: Context, request: CreateProjectRequest, now: Date): Promise<NewProject> {
  const settings = checked(() => settingsOf(request, context.config.allowHttpUrls));
  const projectId = uuidv7();
  const secret = request.webhookSecret;
  const project: Project = {
    _id: projectId,
    ownerId: request.ownerId,
    createdAt: now,
    expiresAt: request.expiresInSeconds === undefined ? null : inSeconds(now, request.expiresInSeconds),
    settings,
    webhook: {
      secret: secret === '' ? '' : context.secrets.seal(secret, sealedFor.webhook(projectId)),
      former: null,
      targetVersion: 1,
    },
  };
  const positions = Array.from({ length: request.count }, (_, index) => SHARED_POSITION + 1 + index);
  const unique = await mapInTurns(positions, position => makeLink(context, project, position, 1));
  const sharedUses = settings.sharedLinkMaxUses ?? 0;
  const projectToken = mintToken('prj');
  return {
    project,
    projectToken,
    dashboardHash: hashToken(projectToken),
    ...(sharedUses > 0 ? { shared: makeLink(context, project, SHARED_POSITION, sharedUses) } : {}),
    unique,
    reserves: request.count + sharedUses,
  };
}

function settingsOf(request: CreateProjectRequest, allowHttp: boolean): Settings {
  const given = request.settings;
  if (!given) throw new RuleBroken('projectName must not be empty.');
  checkCount(request.count);
  checkSecret(request.webhookSecret);
  if (request.expiresInSeconds !== undefined) checkExpiry(request.expiresInSeconds);
  const maxUses = given.sharedLinkMaxUses ?? LIMITS.sharedLinkMaxUsesDefault;
  return checkedSettings<Settings>(
    {
      ...given,
      maxDurationSec: given.maxDurationSec || LIMITS.maxDurationSecDefault,
      // Without a shared link its uses are ignored.
      sharedLinkMaxUses: given.sharedLinkEnabled ? maxUses : null,
    },
    { allowHttp },
  );
}

function makeLink(context: Context, project: Project, position: number, maxUses: number) {
  const token = mintToken('vr');
  const id = uuidv7();
  const link: NewLink = {
    _id: id,
    projectId: project._id,
    ownerId: project.ownerId,
    type: position === SHARED_POSITION ? 'shared' : 'unique',
    position,
    hash: hashToken(token),
    sealedToken: context.secrets.seal(token, sealedFor.link(id)),
    maxUses,
    claimed: 0,
    landed: 0,
    submissionCount: 0,
    disabled: false,
    openedAt: null,
    submittedAt: null,
    createdAt: project.createdAt,
  };
  return { link, token };
}
