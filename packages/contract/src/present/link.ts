import {
  type Invitation,
  type Link,
  LinkStatus,
  LinkType,
  PersonState,
} from '@recording-request/proto/projects/v1/projects';
import { qrCodeUrl, recipientUrl } from '../addresses.ts';
import { isoDate, isoDateOrNull } from '../dates.ts';
import type { LinkStatusName, PersonStateName } from '../resources/fields.ts';
import type {
  CreatedRecipientLinkJson,
  CreatedSharedRecipientLinkJson,
  RecipientLinkJson,
  SharedRecipientLinkJson,
} from '../resources/link.ts';
import type { ProjectLinksJson } from '../resources/project.ts';
import { presentRecipient } from './recipient.ts';

export interface SharedLinkContext {
  baseUrl: string;
  projectId: string;
}

export interface CreationContext {
  baseUrl: string;
  expiresAt: Date | undefined;
  /** The invitation from the request that created the link. */
  invitation?: Invitation | undefined;
}

const STATUS_NAMES: Record<number, RecipientLinkJson['status']> = {
  [LinkStatus.LINK_STATUS_ACTIVE]: 'active',
  [LinkStatus.LINK_STATUS_EXPIRED]: 'expired',
  [LinkStatus.LINK_STATUS_EXHAUSTED]: 'exhausted',
  [LinkStatus.LINK_STATUS_DISABLED]: 'disabled',
};

/** Returns the status that a name in the query of a list means. */
export const linkStatusOf = (name: LinkStatusName): LinkStatus =>
  Number(Object.keys(STATUS_NAMES).find(status => STATUS_NAMES[Number(status)] === name)) as LinkStatus;

export function linkStatusName(status: LinkStatus): RecipientLinkJson['status'] {
  const name = STATUS_NAMES[status];
  if (!name) throw new Error(`link status ${status} has no name`);
  return name;
}

const STATE_NAMES: Record<number, PersonStateName> = {
  [PersonState.PERSON_STATE_INVITED]: 'invited',
  [PersonState.PERSON_STATE_OPENED]: 'opened',
  [PersonState.PERSON_STATE_RECORDING]: 'recording',
  [PersonState.PERSON_STATE_SENT]: 'sent',
  [PersonState.PERSON_STATE_CLOSED]: 'closed',
};

/** Returns the state of a person that a name in the query of a list means. */
export const personStateOf = (name: PersonStateName): PersonState =>
  Number(Object.keys(STATE_NAMES).find(state => STATE_NAMES[Number(state)] === name)) as PersonState;

const contractFields = (link: Link, baseUrl: string) => ({
  tokenId: link.linkId,
  token: link.token,
  linkType: link.linkType === LinkType.LINK_TYPE_SHARED ? ('shared' as const) : ('unique' as const),
  status: linkStatusName(link.status),
  maxUses: link.maxUses,
  submissionCount: link.submissionCount,
  remainingUses: link.remainingUses,
  openedAt: isoDateOrNull(link.openedAt),
  submittedAt: isoDateOrNull(link.submittedAt),
  expiresAt: isoDateOrNull(link.expiresAt),
  createdAt: isoDate(link.createdAt, 'createdAt'),
  recipientUrl: recipientUrl(baseUrl, link.token),
});

const sharedContractFields = (link: Link, { baseUrl, projectId }: SharedLinkContext) => ({
  ...contractFields(link, baseUrl),
  qrCodePngUrl: qrCodeUrl(baseUrl, projectId),
});

function additionalFields(link: Link) {
  const { invitation, questionCount = 0 } = link;
  const isInterview = link.linkType === LinkType.LINK_TYPE_UNIQUE && questionCount > 0;
  return {
    completedAt: isoDateOrNull(link.completedAt),
    recipient: presentRecipient(invitation),
    metadata: invitation?.metadata ?? {},
    dueAt: isoDateOrNull(invitation?.dueAt),
    changedAt: isoDate(link.changedAt ?? link.createdAt, 'changedAt'),
    state: (link.personState && STATE_NAMES[link.personState]) || null,
    answersSent: isInterview ? link.submissionCount : null,
    questionCount: isInterview ? questionCount : null,
    sandbox: link.sandbox ?? false,
    remindersSent: link.remindersSent ?? 0,
    remindersStopped: link.remindersStopped ?? false,
  };
}

/** Presents a link to everyone who may see it: without the fields that only the owner may see. */
export const presentLink = (link: Link, baseUrl: string): RecipientLinkJson => ({
  ...contractFields(link, baseUrl),
  ...additionalFields(link),
});

export const presentSharedLink = (link: Link, context: SharedLinkContext): SharedRecipientLinkJson => ({
  ...sharedContractFields(link, context),
  ...additionalFields(link),
});

/** Presents a link to its owner. */
export const presentOwnLink = (link: Link, baseUrl: string): RecipientLinkJson => ({
  ...presentLink(link, baseUrl),
  timeFactor: link.timeFactor ?? null,
});

export const presentOwnSharedLink = (link: Link, context: SharedLinkContext): SharedRecipientLinkJson => ({
  ...presentSharedLink(link, context),
  timeFactor: link.timeFactor ?? null,
});

/**
 * Presents a newly created link. The field `url` repeats its `recipientUrl`. Shows the state of the link at its
 * creation, so that a repeated request gets the same answer.
 */
export function presentCreatedLink(
  { linkId, token, linkType, maxUses, createdAt, questionCount, sandbox }: Link,
  { baseUrl, expiresAt, invitation }: CreationContext,
): CreatedRecipientLinkJson {
  const made = { linkId, token, linkType, maxUses, createdAt, expiresAt, invitation, questionCount, sandbox };
  const status = LinkStatus.LINK_STATUS_ACTIVE;
  const personState = PersonState.PERSON_STATE_INVITED;
  const link = { ...made, status, personState, submissionCount: 0, remainingUses: maxUses };
  const shown = contractFields(link, baseUrl);
  const timeFactor = invitation?.timeFactor ?? null;
  return { ...shown, url: shown.recipientUrl, ...additionalFields(link), timeFactor };
}

export function presentCreatedSharedLink(link: Link, context: SharedLinkContext): CreatedSharedRecipientLinkJson {
  const shown = sharedContractFields(link, context);
  return { ...shown, url: shown.recipientUrl, ...additionalFields(link), timeFactor: null };
}

/** Presents a ListLinksResponse for the dashboard and the exports. */
export function presentLinks(
  links: { sharedLink?: Link | undefined; uniqueLinks: Link[] },
  context: SharedLinkContext,
): ProjectLinksJson {
  return {
    projectId: context.projectId,
    sharedLink: links.sharedLink ? presentSharedLink(links.sharedLink, context) : null,
    recipientUrls: links.uniqueLinks.map(link => presentLink(link, context.baseUrl)),
  };
}
