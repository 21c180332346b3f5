import type {
  CreateProjectResponse,
  LinkStats,
  Project,
  ProjectSettings,
  ProjectSummary,
} from '@recording-request/proto/projects/v1/projects';
import type { SubmissionCounts } from '@recording-request/proto/submissions/v1/submissions';
import { dashboardUrl, logoUrl } from '../addresses.ts';
import { isUnbranded, NO_BRAND } from '../brand.ts';
import { isoDate, isoDateOrNull } from '../dates.ts';
import { completeSettings, DETAIL_SETTINGS, PRIVATE_SETTINGS, pick, SUMMARY_SETTINGS } from '../project-settings.ts';
import { isAnswerMode } from '../resources/fields.ts';
import type {
  ProjectCreatedJson,
  ProjectDetailJson,
  ProjectStatsJson,
  ProjectSummaryJson,
} from '../resources/project.ts';
import { isOptionalEvent } from '../webhook-events.ts';
import { presentCreatedSharedLink } from './link.ts';
import { presentApiUser } from './user.ts';

/** The counts of a project without submissions. */
export const NO_SUBMISSIONS: SubmissionCounts = {
  videosCreated: 0,
  selectedVideos: 0,
  transcriptCompleted: 0,
  transcriptPending: 0,
  transcriptFailed: 0,
};

function partsOf(project: Project): { settings: ProjectSettings; links: LinkStats } {
  const { settings, linkStats } = project;
  if (!settings || !linkStats) throw new Error('the project has no settings or link stats');
  return { settings, links: linkStats };
}

function presentStats(links: LinkStats, counts: SubmissionCounts): ProjectStatsJson {
  return {
    videosCreated: counts.videosCreated,
    selectedVideos: counts.selectedVideos,
    transcriptCompleted: counts.transcriptCompleted,
    transcriptPending: counts.transcriptPending,
    transcriptFailed: counts.transcriptFailed,
    uniqueLinksTotal: links.uniqueLinksTotal,
    uniqueLinksRemaining: links.uniqueLinksRemaining,
    sharedLinksTotal: links.sharedLinksTotal,
    sharedUsesRemaining: links.sharedUsesRemaining,
    totalResponseCapacity: links.totalResponseCapacity,
    responseSlotsUsed: links.responseSlotsUsed,
    responseSlotsRemaining: links.responseSlotsRemaining,
  };
}

/** Returns the part of a project that a list shows. */
export function summaryOf(project: Project): ProjectSummary {
  const { settings, links } = partsOf(project);
  return {
    projectId: project.projectId,
    createdAt: project.createdAt,
    expiresAt: project.expiresAt,
    ...pick(settings, SUMMARY_SETTINGS),
    questionCount: settings.interviewQuestions.length,
    webhookEnabled: settings.webhookUrl !== '',
    linkStats: links,
  };
}

export function presentProjectSummary(
  summary: ProjectSummary,
  counts: SubmissionCounts = NO_SUBMISSIONS,
): ProjectSummaryJson {
  if (!summary.linkStats) throw new Error('the project has no link stats');
  return {
    projectId: summary.projectId,
    projectName: summary.projectName,
    createdAt: isoDate(summary.createdAt, 'createdAt'),
    expiresAt: isoDateOrNull(summary.expiresAt),
    maxDurationSec: summary.maxDurationSec,
    transcriptionEnabled: summary.transcriptionEnabled,
    noteEnabled: summary.noteEnabled,
    interviewEnabled: summary.questionCount > 0,
    questionCount: summary.questionCount,
    webhookEnabled: summary.webhookEnabled,
    requireTerms: summary.requireTerms,
    showSuccessDialog: summary.showSuccessDialog,
    stats: presentStats(summary.linkStats, counts),
    sandbox: summary.sandbox ?? false,
  };
}

function presentBrand({ projectId, settings, hasLogo }: Project, baseUrl: string): ProjectDetailJson['brand'] {
  const brand = settings?.brand ?? NO_BRAND;
  if (isUnbranded(brand) && !hasLogo) return null;
  return { ...brand, logoUrl: hasLogo ? logoUrl(baseUrl, projectId) : null };
}

/**
 * Presents a project to everyone who may see it: without the settings that only its owner may see. `baseUrl` begins the
 * address of its logo.
 */
export function presentProjectDetail(
  project: Project,
  baseUrl: string,
  counts: SubmissionCounts = NO_SUBMISSIONS,
): ProjectDetailJson {
  const { settings } = partsOf(project);
  // Fields that were added later come last, in the order of their addition.
  const { sandbox, ...summary } = presentProjectSummary(summaryOf(project), counts);
  return {
    ...summary,
    ...pick(completeSettings(settings), DETAIL_SETTINGS),
    brand: presentBrand(project, baseUrl),
    sharedLinkMaxUses: settings.sharedLinkMaxUses || null,
    webhookEvents: settings.webhookEvents.filter(isOptionalEvent),
    answerModes: completeSettings(settings).answerModes.filter(isAnswerMode),
    webhookSigned: project.webhookSigned,
    closedAt: isoDateOrNull(project.closedAt),
    retentionDays: project.retentionDays ?? null,
    sandbox,
    sandboxEndsAt: isoDateOrNull(project.sandboxEndsAt),
  };
}

/** Presents a project to its owner. */
export const presentOwnProject = (project: Project, baseUrl: string, counts?: SubmissionCounts): ProjectDetailJson => ({
  ...presentProjectDetail(project, baseUrl, counts),
  ...pick(completeSettings(partsOf(project).settings), PRIVATE_SETTINGS),
});

type CreationTail = Pick<ProjectCreatedJson, 'counts' | 'sandbox' | 'sandboxEndsAt'>;
type CreationHead = Omit<ProjectCreatedJson, 'recipientUrls' | keyof CreationTail>;

/**
 * Returns the fields of a creation result that come before its unique links. Only a creation result shows the
 *  dashboard token.
 */
export function presentCreationHead(created: CreateProjectResponse, baseUrl: string): CreationHead {
  const { project, user, sharedLink } = created;
  if (!project || !user) throw new Error('the creation has no project or user');
  const { settings, links } = partsOf(project);
  return {
    projectId: project.projectId,
    projectName: settings.projectName,
    projectToken: created.projectToken,
    dashboardUrl: dashboardUrl(baseUrl, created.projectToken),
    count: links.uniqueLinksTotal,
    maxDurationSec: settings.maxDurationSec,
    transcriptionEnabled: settings.transcriptionEnabled,
    noteEnabled: settings.noteEnabled,
    requestUrl: settings.requestUrl,
    interviewEnabled: settings.interviewQuestions.length > 0,
    questionCount: settings.interviewQuestions.length,
    interviewQuestions: settings.interviewQuestions,
    webhookEnabled: settings.webhookUrl !== '',
    sharedLinkEnabled: settings.sharedLinkEnabled,
    sharedLinkMaxUses: settings.sharedLinkMaxUses || null,
    sharedLink: sharedLink ? presentCreatedSharedLink(sharedLink, { baseUrl, projectId: project.projectId }) : null,
    apiUser: presentApiUser(user, created.reservedVideoCount),
  };
}

/** Returns the fields of a creation result that come after its unique links. */
export function presentCreationTail({ project }: CreateProjectResponse): CreationTail {
  if (!project) throw new Error('the creation has no project');
  const { settings, links } = partsOf(project);
  const { uniqueLinksRemaining, sharedUsesRemaining, responseSlotsRemaining } = links;
  return {
    counts: { videosCreated: 0, uniqueLinksRemaining, sharedUsesRemaining, responseSlotsRemaining },
    sandbox: settings.sandbox,
    sandboxEndsAt: isoDateOrNull(project.sandboxEndsAt),
  };
}
