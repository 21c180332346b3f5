import type { Settings } from '@recording-request/contract/project-settings';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Context } from '../context.ts';
import { checkedInvitation, type Invitation, isEmpty } from '../domain/invitation.ts';
import { SHARED_POSITION } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { reminderFields } from '../domain/reminders.ts';
import { checkSandbox, expiryWithin, reservedFor } from '../domain/sandbox.ts';
import { sealedFor } from '../domain/sealing.ts';
import { checkExpiry, checkRetention, newSettings } from '../domain/settings-rules.ts';
import { inSeconds } from '../domain/time.ts';
import { duplicatesWithin, identitiesOf } from './duplicates.ts';
import { type MintedLink, mintLink } from './mint-links.ts';

export interface ProjectOrder {
  ownerId: string;
  settings: Settings;
  /** The number of unique links. */
  count: number;
  webhookSecret: string;
  /** Undefined if the links never expire. */
  expiresInSeconds: number | undefined;
  /** 0 without a retention. */
  retentionDays: number;
  /** The invitations of the first unique links. */
  invitations: Invitation[];
}

/** A new project that is not stored yet, and its tokens, which are shown only once. */
export interface NewProject {
  project: Project;
  projectToken: string;
  dashboardHash: Buffer;
  shared?: MintedLink;
  /** The number of unique links. */
  count: number;
  /** The invitations of the first unique links. */
  invitations: Invitation[];
  /** The number of videos to reserve from the allowance. */
  reserves: number;
}

function reminding(remind: Settings['remind'], now: Date): Pick<Project, 'reminders' | 'remindAt'> {
  const { reminders, remindAt } = reminderFields(remind, {}, now);
  return remindAt ? { reminders, remindAt } : {};
}

/** Fails with `invalid` when the request breaks a rule. */
export function makeProject(
  context: Pick<Context, 'config' | 'checks' | 'secrets'>,
  order: ProjectOrder,
  now: Date,
): NewProject {
  const { count, expiresInSeconds, webhookSecret, retentionDays } = order;
  const fault = context.checks.creation({ ...order.settings, count, webhookSecret });
  if (fault) throw new DomainError('invalid', fault);
  if (expiresInSeconds !== undefined) checkExpiry(expiresInSeconds);
  checkRetention(retentionDays, context.config.retentionDays);
  const invitations = checkedRecipients(order);
  const settings = newSettings(order.settings);
  const sharedUses = settings.sharedLinkMaxUses;
  checkSandbox(settings, count + sharedUses);
  const sandbox = settings.sandbox ? sandboxTimes(context, now) : {};
  const expiresAt = expiresInSeconds === undefined ? null : inSeconds(now, expiresInSeconds);
  const projectId = uuidv7();
  const project: Project = {
    _id: projectId,
    ownerId: order.ownerId,
    createdAt: now,
    expiresAt: expiryWithin(expiresAt, sandbox),
    settings,
    ...reminding(settings.remind, now),
    ...sandbox,
    ...(retentionDays > 0 && { retentionDays }),
    webhook: {
      secret: webhookSecret === '' ? '' : context.secrets.seal(webhookSecret, sealedFor.webhook(projectId)),
      former: null,
      targetVersion: 1,
    },
    hasInvitations: invitations.some(invitation => !isEmpty(invitation)),
  };
  const projectToken = mintToken('prj');
  return {
    project,
    projectToken,
    dashboardHash: hashToken(projectToken),
    ...(sharedUses > 0
      ? { shared: mintLink(context, project, { position: SHARED_POSITION, maxUses: sharedUses }) }
      : {}),
    count,
    invitations,
    reserves: reservedFor(project, count + sharedUses),
  };
}

function sandboxTimes({ config }: Pick<Context, 'config'>, now: Date): Pick<Project, 'sandboxEndsAt' | 'sandboxDueAt'> {
  const sandboxEndsAt = inSeconds(now, config.sandboxSeconds);
  return { sandboxEndsAt, sandboxDueAt: sandboxEndsAt };
}

/** Fails with `invalid`; the sentence names the first wrong recipient, counted from 1. */
function checkedRecipients({ invitations, count }: ProjectOrder): Invitation[] {
  if (invitations.length > count) throw new DomainError('invalid', 'count must be at least the number of recipients.');
  const checked = invitations.map((invitation, index) =>
    checkedInvitation(invitation, `recipients, entry ${index + 1}: `),
  );
  const [duplicate] = duplicatesWithin(identitiesOf(checked));
  if (duplicate)
    throw new DomainError(
      'invalid',
      `recipients, entry ${duplicate.index + 1}: entry ${duplicate.of + 1} has the same reference or email.`,
    );
  return checked;
}
