import Type, { type Static } from 'typebox';
import { OPTIONAL_EVENTS } from '../webhook-events.ts';
import { ApiUser } from './account.ts';
import {
  count,
  dateTime,
  flag,
  nullableFormat,
  nullableInteger,
  nullableRef,
  oneOf,
  ref,
  resource,
  text,
  uri,
  uuid,
} from './fields.ts';
import { CreatedRecipientLink, CreatedSharedRecipientLink, RecipientLink, SharedRecipientLink } from './link.ts';

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
    responseSlotsUsed: count('Responses that were begun and hold their use, or have landed.'),
    responseSlotsRemaining: count('How many more responses the project can accept across unique and shared links.'),
  },
  { $id: 'ProjectStats', ...resource },
);
export type ProjectStatsJson = Static<typeof ProjectStats>;

// Without the largest value of today: a later one must not fail in a client.
const maxDurationSec = Type.Integer({ minimum: 1, description: 'Longest clip, in seconds.' });

const summaryFields = {
  projectId: uuid('The project.'),
  projectName: text('Its title.'),
  createdAt: dateTime('When it was created.'),
  expiresAt: nullableFormat('date-time', 'When its links expire; null: never.'),
  maxDurationSec,
  transcriptionEnabled: flag('Whether new uploads get a transcript.'),
  noteEnabled: flag('Whether the recorder shows a note field.'),
  interviewEnabled: flag('Whether there are questions.'),
  questionCount: count('How many questions there are.'),
  webhookEnabled: flag('Whether the project pushes events.'),
  requireTerms: flag('Whether terms must be accepted before an upload.'),
  showSuccessDialog: flag('Whether a dialog follows a successful upload.'),
  stats: ref(ProjectStats),
};

export const ProjectSummary = Type.Object(summaryFields, { $id: 'ProjectSummary', ...resource });
export type ProjectSummaryJson = Static<typeof ProjectSummary>;

export const ProjectDetail = Type.Object(
  {
    ...summaryFields,
    requestUrl: text('Shown on the recorder; "" when there is none.'),
    webhookUrl: text('Where events go; "" when there is none.'),
    sharedLinkEnabled: flag('Whether there is a shared link.'),
    sharedLinkMaxUses: nullableInteger('Uses of the shared link; null without one.'),
    termsLabel: text('Label of the terms acceptance; "" for the wording of the recorder.'),
    termsText: text('The terms.'),
    interviewQuestions: Type.Array(Type.String(), { description: 'In order.' }),
    successMessage: text('Text of the success dialog; "" for the wording of the recorder.'),
    webhookEvents: Type.Array(oneOf(OPTIONAL_EVENTS, 'The type of an event.'), {
      description: 'The events that are sent beside those that always come.',
    }),
    transcriptionLanguage: text('The language that new uploads are transcribed in; "" where it is found out.'),
    webhookSigned: flag('Whether a webhookSecret is set, which signs the events. The secret itself is never shown.'),
  },
  { $id: 'ProjectDetail', ...resource },
);
export type ProjectDetailJson = Static<typeof ProjectDetail>;

export const ProjectList = Type.Object(
  { projects: Type.Array(ref(ProjectSummary), { description: 'Newest first.' }) },
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
    projectName: text('Its title.'),
    projectToken: text('The private dashboard token, prefix prj_. Shown this once.'),
    dashboardUrl: uri('The private dashboard.'),
    count: count('How many single-recipient links were made.'),
    maxDurationSec,
    transcriptionEnabled: flag('Whether uploads get a transcript.'),
    noteEnabled: flag('Whether the recorder shows a note field.'),
    requestUrl: text('Shown on the recorder; "" when there is none.'),
    interviewEnabled: flag('Whether there are questions.'),
    questionCount: count('How many questions there are.'),
    interviewQuestions: Type.Array(Type.String(), { description: 'In order.' }),
    webhookEnabled: flag('Whether the project pushes events.'),
    sharedLinkEnabled: flag('Whether there is a shared link.'),
    sharedLinkMaxUses: nullableInteger('Uses of the shared link; null without one.'),
    sharedLink: nullableRef(CreatedSharedRecipientLink),
    apiUser: ref(ApiUser),
    recipientUrls: Type.Array(ref(CreatedRecipientLink), { description: 'The single-recipient links.' }),
    counts: ref(CreationCounts),
  },
  { $id: 'ProjectCreated', ...resource },
);
export type ProjectCreatedJson = Static<typeof ProjectCreated>;

export const ProjectLinks = Type.Object(
  {
    projectId: uuid('The project.'),
    sharedLink: nullableRef(SharedRecipientLink),
    recipientUrls: Type.Array(ref(RecipientLink), { description: 'The single-recipient links.' }),
  },
  { $id: 'ProjectLinks', ...resource },
);
export type ProjectLinksJson = Static<typeof ProjectLinks>;
