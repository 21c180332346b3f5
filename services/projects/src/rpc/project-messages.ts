import { completeSettings } from '@recording-request/contract/project-settings';
import * as proto from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import type { Invitation } from '../domain/invitation.ts';
import { hasExpired, type Link, type LinkState, linkState, remainingUses, type Term } from '../domain/link.ts';
import { linkStats, NO_LINKS, type ProjectSums } from '../domain/link-stats.ts';
import { type PersonState, personState } from '../domain/person-state.ts';
import type { Project, ProjectSummary } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import { openInvitation } from '../workflows/invitations.ts';
import { openUnlessLost } from '../workflows/open-unless-lost.ts';
import { toInvitationIfAny } from './invitation-messages.ts';

type Sums = ProjectSums | undefined;

const toLinkStats = (sums: Sums, term: Term, now: Date): proto.LinkStats =>
  linkStats(sums?.unique ?? NO_LINKS, sums?.shared ?? NO_LINKS, term, now);

export function toProjectSummary({ _id, expiresAt, closedAt, ...shown }: ProjectSummary, sums: Sums, now: Date) {
  const linkStats = toLinkStats(sums, { expiresAt, closedAt }, now);
  return { projectId: _id, expiresAt: expiresAt ?? undefined, ...shown, linkStats } satisfies proto.ProjectSummary;
}

export function toProject(project: Project, sums: Sums, now: Date): proto.Project {
  return {
    projectId: project._id,
    ownerId: project.ownerId,
    createdAt: project.createdAt,
    expiresAt: project.expiresAt ?? undefined,
    settings: completeSettings(project.settings),
    linkStats: toLinkStats(sums, project, now),
    webhookSigned: project.webhook.secret !== '',
    closedAt: project.closedAt,
    hasInvitations: project.hasInvitations ?? false,
    retentionDays: project.retentionDays,
    sandboxEndsAt: project.sandboxEndsAt,
    hasLogo: project.logo !== undefined,
  };
}

const STATES: Record<LinkState, proto.LinkStatus> = {
  active: proto.LinkStatus.LINK_STATUS_ACTIVE,
  expired: proto.LinkStatus.LINK_STATUS_EXPIRED,
  exhausted: proto.LinkStatus.LINK_STATUS_EXHAUSTED,
  disabled: proto.LinkStatus.LINK_STATUS_DISABLED,
};

const TYPES: Record<Link['type'], proto.LinkType> = {
  unique: proto.LinkType.LINK_TYPE_UNIQUE,
  shared: proto.LinkType.LINK_TYPE_SHARED,
};

export function toLinkStatus(link: Link, term: Term, now: Date): proto.LinkStatus {
  return STATES[linkState(link, term, now)];
}

/** Returns the link state that a filter selects; undefined means any state. */
export const toLinkState = (status: proto.LinkStatus | undefined): LinkState | undefined =>
  (Object.keys(STATES) as LinkState[]).find(state => STATES[state] === status);

export const toLinkType = (link: Pick<Link, 'type'>): proto.LinkType => TYPES[link.type];

const PERSON_STATES: Record<PersonState, proto.PersonState> = {
  invited: proto.PersonState.PERSON_STATE_INVITED,
  opened: proto.PersonState.PERSON_STATE_OPENED,
  recording: proto.PersonState.PERSON_STATE_RECORDING,
  sent: proto.PersonState.PERSON_STATE_SENT,
  closed: proto.PersonState.PERSON_STATE_CLOSED,
};

/** Returns the state of a person that a filter selects; undefined means any state. */
export const toPersonState = (state: proto.PersonState | undefined): PersonState | undefined =>
  (Object.keys(PERSON_STATES) as PersonState[]).find(each => PERSON_STATES[each] === state);

/** The fields of a project that its links show. */
type LinkProject = Term & { settings: Pick<Project['settings'], 'interviewQuestions' | 'sandbox'> };

/** Returns the message of a link whose token and invitation the caller already has in plain text. */
export function toLinkWith(
  { token, invitation }: { token: string; invitation: Invitation },
  link: Link,
  project: LinkProject,
  now: Date,
): proto.Link {
  const state = personState(link, hasExpired(project, now));
  return {
    linkId: link._id,
    token,
    linkType: toLinkType(link),
    status: toLinkStatus(link, project, now),
    maxUses: link.maxUses,
    submissionCount: link.submissionCount,
    remainingUses: remainingUses(link),
    openedAt: link.openedAt ?? undefined,
    submittedAt: link.submittedAt ?? undefined,
    completedAt: link.completedAt ?? undefined,
    expiresAt: project.expiresAt ?? undefined,
    createdAt: link.createdAt,
    remindersSent: link.remindersSent ?? 0,
    remindersStopped: Boolean(link.remindersStopped || link.ownerStoppedReminders),
    invitation: toInvitationIfAny(invitation),
    changedAt: link.changedAt,
    personState: link.type === 'unique' ? PERSON_STATES[state] : undefined,
    questionCount: project.settings.interviewQuestions.length,
    sandbox: project.settings.sandbox,
    timeFactor: invitation.timeFactor ?? undefined,
  };
}

/**
 * Returns the message of a stored link. Opens its sealed token and invitation. If the key is lost, the token is empty and
 * the invitation has only the deadline.
 */
export function toLink(
  context: Pick<Context, 'config' | 'secrets'>,
  link: Link,
  project: LinkProject,
  now: Date,
): proto.Link {
  const token = openUnlessLost(context, link.sealedToken, sealedFor.link(link._id))?.toString() ?? '';
  return toLinkWith({ token, invitation: openInvitation(context, link) }, link, project, now);
}
