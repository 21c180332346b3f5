/**
 * The JSON resources of the public contract, field for field and in its order; additive fields come after. They validate
 * in tests, serialise in the gateway and are printed as they are in openapi.json.
 */
import Type, { type Static, type TSchema } from 'typebox';

/** The version of the interface description and of export.json. */
export const CONTRACT_VERSION = '1.0.0';

export const SCOPES = ['profile:read', 'projects:read', 'projects:write', 'links:read', 'submissions:read'] as const;
export type Scope = (typeof SCOPES)[number];

export const TRANSCRIPT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'disabled'] as const;
export type TranscriptStatusName = (typeof TRANSCRIPT_STATUSES)[number];

export const LINK_TYPES = ['unique', 'shared'] as const;
export const LINK_STATUSES = ['active', 'expired', 'exhausted', 'disabled'] as const;
export type LinkStatusName = (typeof LINK_STATUSES)[number];
export const MEDIA_STATUSES = ['processing', 'ready', 'failed'] as const;
export const DELIVERY_STATES = ['pending', 'delivered', 'paused', 'failed', 'erased'] as const;
export const ENDPOINT_STATES = ['active', 'paused'] as const;
export const UPLOAD_STATES = ['uploading', 'finishing', 'landed', 'refused'] as const;
export const UPLOAD_REFUSALS = ['not_video', 'too_long', 'answered'] as const;

/** A named schema by reference, so that each appears once in openapi.json. */
export const ref = <T extends TSchema & { $id?: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });
export const nullableRef = <T extends TSchema & { $id?: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [{ $ref: `${schema.$id}#` }, { type: 'null' }] });

const uuid = (description: string) => Type.String({ format: 'uuid', description });
const uri = (description: string) => Type.String({ format: 'uri', description });
const dateTime = (description: string) => Type.String({ format: 'date-time', description });
const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const flag = (description: string) => Type.Boolean({ description });
const nullableText = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const nullableInteger = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
const nullableFormat = (format: 'uuid' | 'uri' | 'date-time', description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format, description });
const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description });

const resource = { additionalProperties: false } as const;

export const ErrorBody = Type.Object(
  { error: text('One sentence that says what to change.') },
  { $id: 'Error', ...resource },
);
export type ErrorJson = Static<typeof ErrorBody>;

export const ApiUser = Type.Object(
  {
    userId: uuid('The owner.'),
    userName: text('The name of the owner.'),
    videoLimit: nullableInteger('How many videos the owner may reserve in all; null means no limit.'),
    videosReserved: count('How many videos are reserved in all.'),
    reservedVideoCount: count('How many videos this request reserved.'),
    remainingVideos: nullableInteger('How many more can be reserved; null means no limit.'),
  },
  { $id: 'ApiUser', description: "The allowance of the token's owner.", ...resource },
);
export type ApiUserJson = Static<typeof ApiUser>;

export const CurrentUser = Type.Object(
  {
    userId: uuid('The owner.'),
    userName: text('The name of the owner.'),
    tokenId: uuid('The token that was sent.'),
    tokenLabel: text('What the operator called the token.'),
    scopes: Type.Array(Type.String(), { description: 'What the token may do.' }),
    videoLimit: nullableInteger('How many videos the owner may reserve in all; null means no limit.'),
    videosReserved: count('How many videos are reserved in all.'),
    remainingVideos: nullableInteger('How many more can be reserved; null means no limit.'),
  },
  { $id: 'CurrentUser', ...resource },
);
export type CurrentUserJson = Static<typeof CurrentUser>;

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

const recipientLinkFields = {
  tokenId: uuid('The link.'),
  token: text('The recipient token, prefix vr_.'),
  linkType: oneOf(LINK_TYPES, 'Single-recipient or reusable.'),
  status: oneOf(LINK_STATUSES, 'disabled, exhausted, expired or active: the first that applies.'),
  maxUses: count('How many responses the link takes.'),
  submissionCount: count('How many clips have landed through it.'),
  remainingUses: count('How many more responses can begin.'),
  openedAt: nullableFormat('date-time', 'The first touch or key on the recording page.'),
  submittedAt: nullableFormat('date-time', 'When the last clip landed.'),
  expiresAt: nullableFormat('date-time', 'null: never.'),
  createdAt: dateTime('When the link was made.'),
  recipientUrl: uri('The recording link to send to a contributor.'),
};
const qrCodePngUrl = uri('Authenticated address of the QR code of the shared link, a PNG.');
const sameAddress = uri('The same as recipientUrl.');

export const RecipientLink = Type.Object(recipientLinkFields, { $id: 'RecipientLink', ...resource });
export type RecipientLinkJson = Static<typeof RecipientLink>;

export const SharedRecipientLink = Type.Object(
  { ...recipientLinkFields, qrCodePngUrl },
  { $id: 'SharedRecipientLink', ...resource },
);
export type SharedRecipientLinkJson = Static<typeof SharedRecipientLink>;

export const CreatedRecipientLink = Type.Object(
  { ...recipientLinkFields, url: sameAddress },
  { $id: 'CreatedRecipientLink', description: 'A RecipientLink with its address as `url` too.', ...resource },
);
export type CreatedRecipientLinkJson = Static<typeof CreatedRecipientLink>;

export const CreatedSharedRecipientLink = Type.Object(
  { ...recipientLinkFields, qrCodePngUrl, url: sameAddress },
  {
    $id: 'CreatedSharedRecipientLink',
    description: 'A SharedRecipientLink with its address as `url` too.',
    ...resource,
  },
);
export type CreatedSharedRecipientLinkJson = Static<typeof CreatedSharedRecipientLink>;

export const AcceptedTerms = Type.Object(
  {
    sha256: text('Hex SHA-256 of the text that was accepted.'),
    acceptedAt: dateTime('When it was accepted.'),
  },
  { $id: 'AcceptedTerms', ...resource },
);
export type AcceptedTermsJson = Static<typeof AcceptedTerms>;

export const Submission = Type.Object(
  {
    submissionId: uuid('The submission: one recorded clip.'),
    videoId: uuid('The video of it.'),
    tokenId: nullableFormat('uuid', 'The link that it came through.'),
    projectId: uuid('The project.'),
    projectName: text("The project's title as it is now."),
    responseSessionId: nullableFormat('uuid', "Ties one contributor's interview answers together."),
    questionIndex: nullableInteger('Position of the question, from 0; null outside interviews.'),
    questionText: nullableText('The question as the contributor saw it; null outside interviews.'),
    createdAt: dateTime('When the whole clip had arrived.'),
    durationSec: nullableInteger('Length in seconds, rounded to the nearest; null while unknown.'),
    fileSize: nullableInteger('Bytes of what the video route serves.'),
    mimeType: nullableText('Media type of what the video route serves.'),
    note: nullableText('Written by the contributor.'),
    reviewNote: nullableText('Written by a reviewer.'),
    selected: flag('Whether a reviewer selected it.'),
    transcriptStatus: Type.Unsafe<TranscriptStatusName | null>({
      type: ['string', 'null'],
      enum: [...TRANSCRIPT_STATUSES, null],
      description: 'null for a clip without an audio track.',
    }),
    transcriptText: nullableText('The words, when the transcript is completed.'),
    transcriptVtt: nullableText('The words with their times (WebVTT), when the transcript is completed.'),
    transcriptError: nullableText('Why the transcript failed.'),
    termsAccepted: flag('Whether the contributor accepted terms.'),
    transcriptTextUrl: uri('Plain-text transcript; 404 until it is completed.'),
    transcriptVttUrl: uri('WebVTT transcript; 404 until it is completed.'),
    videoUrl: uri('The video, with the same Bearer token.'),
    thumbnailStartUrl: nullableFormat('uri', 'The first frame; null until it is there.'),
    thumbnailMiddleUrl: nullableFormat('uri', 'A frame of the middle; null until it is there.'),
    thumbnailEndUrl: nullableFormat('uri', 'The last frame; null until it is there.'),
    audioUrl: nullableFormat('uri', 'The sound alone; null until it is there, or without an audio track.'),
    mediaStatus: oneOf(
      MEDIA_STATUSES,
      'Of the seekable video, the thumbnails and the audio. The video is served throughout.',
    ),
    mediaError: nullableText('Why they could not be made.'),
    incomplete: flag('A take that was sent but broke off: what had arrived plays.'),
    sha256: nullableText('Hex SHA-256 of the bytes as uploaded.'),
    terms: nullableRef(AcceptedTerms),
  },
  { $id: 'Submission', ...resource },
);
export type SubmissionJson = Static<typeof Submission>;

const summaryFields = {
  projectId: uuid('The project.'),
  projectName: text('Its title.'),
  createdAt: dateTime('When it was created.'),
  expiresAt: nullableFormat('date-time', 'When its links expire; null: never.'),
  maxDurationSec: Type.Integer({ minimum: 1, maximum: 600, description: 'Longest clip, in seconds.' }),
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
    maxDurationSec: Type.Integer({ minimum: 1, maximum: 600, description: 'Longest clip, in seconds.' }),
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

export const Pagination = Type.Object(
  { nextCursor: nullableText('Opaque; a string when another page is available.') },
  { $id: 'Pagination', ...resource },
);

export const SubmissionsPage = Type.Object(
  {
    projectId: uuid('The project.'),
    submissions: Type.Array(ref(Submission), { description: 'Newest first.' }),
    pagination: ref(Pagination),
  },
  { $id: 'SubmissionsPage', ...resource },
);
export type SubmissionsPageJson = Static<typeof SubmissionsPage>;

export const ExportDocument = Type.Object(
  {
    version: Type.Literal(CONTRACT_VERSION),
    exportedAt: dateTime('When the export was made.'),
    project: ref(ProjectDetail),
    links: Type.Unsafe<{ sharedLink: SharedRecipientLinkJson | null; recipientUrls: RecipientLinkJson[] } | null>({
      description: 'null where the token may not read links.',
      anyOf: [
        Type.Object(
          { sharedLink: nullableRef(SharedRecipientLink), recipientUrls: Type.Array(ref(RecipientLink)) },
          resource,
        ),
        { type: 'null' },
      ],
    }),
    terms: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Each text of terms that was accepted, by its hex SHA-256.',
    }),
    submissions: Type.Array(ref(Submission), {
      description:
        'Oldest first, as the rows of the CSV and the numbers in the ZIP: a clip keeps its place when others come.',
    }),
  },
  { $id: 'ExportDocument', ...resource },
);
export type ExportDocumentJson = Static<typeof ExportDocument>;

export const DashboardOverview = Type.Object(
  {
    project: ref(ProjectDetail),
    videoBytes: count("Bytes of all the project's videos: about the size of project.zip."),
    selectedVideoBytes: count('Bytes of the selected ones.'),
  },
  { $id: 'DashboardOverview', ...resource },
);
export type DashboardOverviewJson = Static<typeof DashboardOverview>;

export const DashboardLinks = Type.Object(
  {
    projectId: uuid('The project.'),
    sharedLink: nullableRef(SharedRecipientLink),
    recipientUrls: Type.Array(ref(RecipientLink), {
      description: 'The single-recipient links, in the order of their making.',
    }),
    pagination: ref(Pagination),
  },
  { $id: 'DashboardLinks', ...resource },
);
export type DashboardLinksJson = Static<typeof DashboardLinks>;

const deliveryAttempt = Type.Object(
  {
    at: dateTime('When it was tried.'),
    statusCode: nullableInteger('The status of the answer; null when there was none.'),
    error: nullableText('Why it did not succeed.'),
    durationMs: count('Milliseconds.'),
  },
  resource,
);

export const WebhookDelivery = Type.Object(
  {
    deliveryId: uuid('The delivery.'),
    eventId: uuid('The event: the same on each retry.'),
    eventType: text('Such as submission.completed.'),
    projectId: uuid('The project.'),
    submissionId: nullableFormat('uuid', 'What the event is about; null for a test.'),
    state: oneOf(
      DELIVERY_STATES,
      'paused: kept until the endpoint is back. failed: a test, which is sent once. erased: its submission was, it is never sent.',
    ),
    createdAt: dateTime('When the event was taken in.'),
    deliveredAt: nullableFormat('date-time', 'When the endpoint answered with 2xx.'),
    nextAttemptAt: nullableFormat('date-time', 'When it is tried again.'),
    attemptCount: count('How often it was tried in all.'),
    attempts: Type.Array(deliveryAttempt, { description: 'The last 50.' }),
  },
  { $id: 'WebhookDelivery', ...resource },
);
export type WebhookDeliveryJson = Static<typeof WebhookDelivery>;

const webhookEndpoint = Type.Object(
  {
    state: oneOf(ENDPOINT_STATES, 'paused: nothing is sent until webhookUrl is set again or a test event succeeds.'),
    failingSince: nullableFormat('date-time', 'The first failure since the last success.'),
    pausedAt: nullableFormat('date-time', 'When it was paused.'),
    pauseReason: nullableText('Why, and how to resume.'),
  },
  resource,
);
export type WebhookEndpointJson = Static<typeof webhookEndpoint>;

export const WebhookRedelivery = Type.Object(
  { projectId: uuid('The project.'), count: count('How many are sent again.') },
  { $id: 'WebhookRedelivery', ...resource },
);
export type WebhookRedeliveryJson = Static<typeof WebhookRedelivery>;

export const WebhookDeliveriesPage = Type.Object(
  {
    projectId: uuid('The project.'),
    endpoint: Type.Unsafe<WebhookEndpointJson | null>({
      description: 'How the endpoint does; null until something was sent.',
      anyOf: [webhookEndpoint, { type: 'null' }],
    }),
    deliveries: Type.Array(ref(WebhookDelivery), { description: 'Newest first.' }),
    pagination: ref(Pagination),
  },
  { $id: 'WebhookDeliveriesPage', ...resource },
);
export type WebhookDeliveriesPageJson = Static<typeof WebhookDeliveriesPage>;

export const DashboardToken = Type.Object(
  {
    projectId: uuid('The project.'),
    projectToken: text(
      'The new private dashboard token, prefix prj_. Shown this once; the one before no longer works.',
    ),
    dashboardUrl: uri('The private dashboard.'),
  },
  { $id: 'DashboardToken', ...resource },
);
export type DashboardTokenJson = Static<typeof DashboardToken>;

const responseUpload = Type.Object(
  {
    uploadId: text('The last segment of its upload address.'),
    state: oneOf(UPLOAD_STATES, 'landed: it is a submission now.'),
    incomplete: flag('A take that was sent but broke off.'),
    error: nullableText('Why it was refused.'),
    errorCode: Type.Unsafe<(typeof UPLOAD_REFUSALS)[number] | null>({
      type: ['string', 'null'],
      enum: [...UPLOAD_REFUSALS, null],
      description: 'The same for a program.',
    }),
  },
  resource,
);

export const ContributorResponse = Type.Object(
  {
    responseSessionId: uuid("One contributor's pass through the link."),
    maxDurationSec: Type.Integer({ description: 'Longest clip, in seconds.' }),
    questions: Type.Array(Type.String(), { description: 'In order; empty outside interviews.' }),
    answers: Type.Array(
      Type.Object(
        {
          questionIndex: nullableInteger('null outside interviews, where there is one answer.'),
          submissionId: nullableFormat('uuid', 'null until the answer has landed.'),
          uploads: Type.Array(responseUpload),
        },
        resource,
      ),
    ),
    complete: flag('Whether every answer has landed.'),
    thankYouUrl: nullableFormat('uri', 'Where an interview ends; null outside interviews.'),
  },
  { $id: 'ContributorResponse', ...resource },
);
export type ContributorResponseJson = Static<typeof ContributorResponse>;

/** Every named schema, for whoever registers them. */
export const RESOURCES = [
  ErrorBody,
  ApiUser,
  CurrentUser,
  ProjectStats,
  RecipientLink,
  SharedRecipientLink,
  CreatedRecipientLink,
  CreatedSharedRecipientLink,
  AcceptedTerms,
  Submission,
  ProjectSummary,
  ProjectDetail,
  ProjectList,
  CreationCounts,
  ProjectCreated,
  ProjectLinks,
  Pagination,
  SubmissionsPage,
  ExportDocument,
  WebhookDelivery,
  WebhookRedelivery,
  WebhookDeliveriesPage,
  DashboardToken,
  DashboardOverview,
  DashboardLinks,
  ContributorResponse,
] as const;
