import * as proto from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type Link, type LinkState, linkState, remainingUses, type Term } from '../domain/link.ts';
import { linkStats, NO_LINKS, type ProjectSums } from '../domain/link-stats.ts';
import type { Project, ProjectSummary } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import { openUnlessLost } from '../workflows/open-unless-lost.ts';

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
    settings: project.settings,
    linkStats: toLinkStats(sums, project, now),
    webhookSigned: project.webhook.secret !== '',
    closedAt: project.closedAt,
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

/** Returns the message of a link whose token is known. */
export function toLinkWith(token: string, link: Link, term: Term, now: Date): proto.Link {
  return {
    linkId: link._id,
    token,
    linkType: toLinkType(link),
    status: toLinkStatus(link, term, now),
    maxUses: link.maxUses,
    submissionCount: link.submissionCount,
    remainingUses: remainingUses(link),
    openedAt: link.openedAt ?? undefined,
    submittedAt: link.submittedAt ?? undefined,
    completedAt: link.completedAt ?? undefined,
    expiresAt: term.expiresAt ?? undefined,
    createdAt: link.createdAt,
  };
}

/** Returns the message of a stored link. Opens its sealed token; the token is empty if its key is lost. */
export function toLink(context: Pick<Context, 'config' | 'secrets'>, link: Link, term: Term, now: Date): proto.Link {
  const token = openUnlessLost(context, link.sealedToken, sealedFor.link(link._id));
  return toLinkWith(token?.toString() ?? '', link, term, now);
}
