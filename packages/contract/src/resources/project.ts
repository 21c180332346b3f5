import Type, { type Static } from 'typebox';
import { DETAIL_SETTINGS, PRIVATE_SETTINGS, settingAnswers } from '../project-settings.ts';
import { ApiUser } from './account.ts';
import {
  count,
  dateTime,
  flag,
  nullableFormat,
  nullableInteger,
  nullableRef,
  ref,
  resource,
  text,
  uri,
  uuid,
} from './fields.ts';
import { CreatedRecipientLink, CreatedSharedRecipientLink, RecipientLink, SharedRecipientLink } from './link.ts';
import { Pagination } from './submission.ts';

export const ProjectStats = Type.Object(
  {
    videosCreated: count('Completed submissions so far.'),
    selectedVideos: count('Submissions that a reviewer selected.'),
    transcriptCompleted: count('Submissions with a finished transcript.'),
    transcriptPending: count('Submissions whose transcript is pending or being made.'),
    transcriptFailed: count('Submissions whose transcript failed.'),
    uniqueLinksTotal: count('Single-recipient links.'),
    uniqueLinksRemaining: count('Uses left on active single-recipient links.'),
    sharedLinksTotal: count('0 or 1.'),
    sharedUsesRemaining: count('Uses left on the shared link while it is active.'),
    totalResponseCapacity: count("The sum of all links' uses."),
    responseSlotsUsed: count('Responses that hold a use, because they have begun or landed.'),
    responseSlotsRemaining: count('How many more responses the project can accept across unique and shared links.'),
  },
  { $id: 'ProjectStats', ...resource },
);
export type ProjectStatsJson = Static<typeof ProjectStats>;

const commonFields = {
  projectId: uuid('The project.'),
  ...settingAnswers(['projectName']),
  createdAt: dateTime('When it was created.'),
  expiresAt: nullableFormat('date-time', 'When its links expire; null: never.'),
  ...settingAnswers(['maxDurationSec', 'transcriptionEnabled', 'noteEnabled']),
  interviewEnabled: flag('Whether there are questions.'),
  questionCount: count('How many questions there are.'),
  webhookEnabled: flag('Whether the project pushes events.'),
  ...settingAnswers(['requireTerms', 'showSuccessDialog']),
  stats: ref(ProjectStats),
};

const sandbox = settingAnswers(['sandbox']);

export const ProjectSummary = Type.Object({ ...commonFields, ...sandbox }, { $id: 'ProjectSummary', ...resource });
export type ProjectSummaryJson = Static<typeof ProjectSummary>;

const sandboxEndsAt = nullableFormat(
  'date-time',
  'When the sandbox is erased, with its links and clips; null for other projects.',
);

export const ProjectDetail = Type.Object(
  {
    ...commonFields,
    ...settingAnswers(DETAIL_SETTINGS),
    webhookSigned: flag('Whether a webhookSecret is set, which signs the events. The secret itself is never shown.'),
    closedAt: nullableFormat('date-time', 'When the owner closed it; null while it is open.'),
    retentionDays: nullableInteger(
      "How many days after its landing a clip is erased; null: only the operator's retention applies.",
    ),
    ...sandbox,
    sandboxEndsAt,
    ...settingAnswers(PRIVATE_SETTINGS),
  },
  { $id: 'ProjectDetail', ...resource },
);
export type ProjectDetailJson = Static<typeof ProjectDetail>;

export const ProjectList = Type.Object(
  {
    projects: Type.Array(ref(ProjectSummary), { description: 'Newest first.' }),
    pagination: Type.Optional(ref(Pagination)),
  },
  { $id: 'ProjectList', ...resource },
);
export type ProjectListJson = Static<typeof ProjectList>;

export const CreationCounts = Type.Object(
  {
    videosCreated: count('Completed submissions so far.'),
    uniqueLinksRemaining: count('Uses left on single-recipient links.'),
    sharedUsesRemaining: count('Uses left on the shared link.'),
    responseSlotsRemaining: count('How many more responses the project can accept.'),
  },
  { $id: 'CreationCounts', ...resource },
);

export const ProjectCreated = Type.Object(
  {
    projectId: uuid('The project.'),
    ...settingAnswers(['projectName']),
    projectToken: text('The private dashboard token, prefix prj_. Shown only once.'),
    dashboardUrl: uri('The private dashboard.'),
    count: count('How many single-recipient links were made.'),
    ...settingAnswers(['maxDurationSec']),
    transcriptionEnabled: flag('Whether uploads get a transcript.'),
    ...settingAnswers(['noteEnabled', 'requestUrl']),
    interviewEnabled: flag('Whether there are questions.'),
    questionCount: count('How many questions there are.'),
    ...settingAnswers(['interviewQuestions']),
    webhookEnabled: flag('Whether the project pushes events.'),
    ...settingAnswers(['sharedLinkEnabled', 'sharedLinkMaxUses']),
    sharedLink: nullableRef(CreatedSharedRecipientLink),
    apiUser: ref(ApiUser),
    recipientUrls: Type.Array(ref(CreatedRecipientLink), { description: 'The single-recipient links.' }),
    counts: ref(CreationCounts),
    ...sandbox,
    sandboxEndsAt,
  },
  { $id: 'ProjectCreated', ...resource },
);
export type ProjectCreatedJson = Static<typeof ProjectCreated>;

export const ProjectLinks = Type.Object(
  {
    projectId: uuid('The project.'),
    sharedLink: nullableRef(SharedRecipientLink),
    recipientUrls: Type.Array(ref(RecipientLink), { description: 'The single-recipient links, in order of creation.' }),
    pagination: Type.Optional(ref(Pagination)),
  },
  { $id: 'ProjectLinks', description: 'All links; with any parameter of the query, a page of them.', ...resource },
);
export type ProjectLinksJson = Static<typeof ProjectLinks>;
