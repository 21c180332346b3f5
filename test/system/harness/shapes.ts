/**
 * The fields of every resource in the contract (owner-api.md). The list is written by hand, independent of the product.
 */
export type Shape = Record<string, string>;

export const Me: Shape = {
  userId: 'uuid',
  userName: 'string',
  tokenId: 'uuid',
  tokenLabel: 'string',
  scopes: 'string[]',
  videoLimit: 'integer|null',
  videosReserved: 'integer',
  remainingVideos: 'integer|null',
  brand: 'OwnerBrand|null',
};

export const OwnerBrand: Shape = { name: 'string', accent: 'string' };
export const ProjectBrand: Shape = { name: 'string', accent: 'string', logoUrl: 'uri|null' };

export const ApiUser: Shape = {
  userId: 'uuid',
  userName: 'string',
  videoLimit: 'integer|null',
  videosReserved: 'integer',
  reservedVideoCount: 'integer',
  remainingVideos: 'integer|null',
};

export const ProjectStats: Shape = {
  videosCreated: 'integer',
  selectedVideos: 'integer',
  transcriptCompleted: 'integer',
  transcriptPending: 'integer',
  transcriptFailed: 'integer',
  uniqueLinksTotal: 'integer',
  uniqueLinksRemaining: 'integer',
  sharedLinksTotal: 'integer',
  sharedUsesRemaining: 'integer',
  totalResponseCapacity: 'integer',
  responseSlotsUsed: 'integer',
  responseSlotsRemaining: 'integer',
};

const contractLink: Shape = {
  tokenId: 'uuid',
  token: 'vr_',
  linkType: 'unique|shared',
  status: 'active|expired|exhausted|disabled',
  maxUses: 'integer',
  submissionCount: 'integer',
  remainingUses: 'integer',
  openedAt: 'date-time|null',
  submittedAt: 'date-time|null',
  expiresAt: 'date-time|null',
  createdAt: 'date-time',
  recipientUrl: 'uri',
};
const additional: Shape = {
  completedAt: 'date-time|null',
  recipient: 'Recipient|null',
  metadata: 'texts',
  dueAt: 'date-time|null',
  changedAt: 'date-time',
  state: 'invited|opened|recording|sent|closed|null',
  answersSent: 'integer|null',
  questionCount: 'integer|null',
  sandbox: 'boolean',
  remindersSent: 'integer',
  remindersStopped: 'boolean',
};

/** Links in exports and on the dashboard, which must not have the time factor. */
export const LinkForOthers: Shape = { ...contractLink, ...additional };
export const SharedLinkForOthers: Shape = { ...contractLink, qrCodePngUrl: 'uri', ...additional };
const own: Shape = { ...additional, timeFactor: 'number|null' };
export const RecipientLink: Shape = { ...contractLink, ...own };
export const SharedRecipientLink: Shape = { ...contractLink, qrCodePngUrl: 'uri', ...own };
// The links in the result of a creation also have `url`.
export const CreatedLink: Shape = { ...contractLink, url: 'uri', ...own };
export const CreatedSharedLink: Shape = { ...contractLink, qrCodePngUrl: 'uri', url: 'uri', ...own };

export const Submission: Shape = {
  submissionId: 'uuid',
  videoId: 'uuid',
  tokenId: 'uuid|null',
  projectId: 'uuid',
  projectName: 'string',
  responseSessionId: 'uuid|null',
  questionIndex: 'integer|null',
  questionText: 'string|null',
  createdAt: 'date-time',
  durationSec: 'integer|null',
  fileSize: 'integer|null',
  mimeType: 'string|null',
  note: 'string|null',
  reviewNote: 'string|null',
  selected: 'boolean',
  transcriptStatus: 'pending|processing|completed|failed|disabled|null',
  transcriptText: 'string|null',
  transcriptVtt: 'string|null',
  transcriptError: 'string|null',
  termsAccepted: 'boolean',
  transcriptTextUrl: 'uri',
  transcriptVttUrl: 'uri',
  videoUrl: 'uri',
  thumbnailStartUrl: 'uri|null',
  thumbnailMiddleUrl: 'uri|null',
  thumbnailEndUrl: 'uri|null',
  audioUrl: 'uri|null',
  // An addition to the contract (decisions.md).
  mediaStatus: 'processing|ready|failed',
  mediaError: 'string|null',
  incomplete: 'boolean',
  sha256: 'string|null',
  terms: 'AcceptedTerms|null',
  language: 'string|null',
  responseId: 'uuid',
  recipient: 'Recipient|null',
  metadata: 'texts',
  late: 'boolean',
  changedAt: 'date-time',
  sandbox: 'boolean',
  rating: 'integer|null',
  answerMode: 'video|audio|file|null',
  signed: 'boolean',
};

export const TimedNote: Shape = {
  id: 'uuid',
  atSec: 'number',
  text: 'string',
  author: 'string|null',
  createdAt: 'date-time',
};
export const SubmissionReview: Shape = { submissionId: 'uuid', rating: 'integer|null', notes: 'TimedNote[]' };

export const Recipient: Shape = {
  name: 'string|null',
  reference: 'string|null',
  email: 'string|null',
  locale: 'string|null',
  verified: 'boolean',
};

export const AcceptedTerms: Shape = { sha256: 'string', acceptedAt: 'date-time' };

const summary: Shape = {
  projectId: 'uuid',
  projectName: 'string',
  createdAt: 'date-time',
  expiresAt: 'date-time|null',
  maxDurationSec: 'integer',
  transcriptionEnabled: 'boolean',
  noteEnabled: 'boolean',
  interviewEnabled: 'boolean',
  questionCount: 'integer',
  webhookEnabled: 'boolean',
  requireTerms: 'boolean',
  showSuccessDialog: 'boolean',
  stats: 'ProjectStats',
};
export const ProjectSummary: Shape = { ...summary, sandbox: 'boolean' };

export const Remind: Shape = { afterDays: 'integer[]', beforeDueHours: 'integer[]' };

/** A project in exports and on the dashboard, which must not have the time factor. */
export const ProjectForOthers: Shape = {
  ...summary,
  requestUrl: 'string',
  webhookUrl: 'string',
  sharedLinkEnabled: 'boolean',
  sharedLinkMaxUses: 'integer|null',
  termsLabel: 'string',
  termsText: 'string',
  interviewQuestions: 'string[]',
  successMessage: 'string',
  // An addition to the contract (decisions.md).
  webhookEvents: 'string[]',
  transcriptionLanguage: 'string',
  acceptReference: 'boolean',
  returnUrl: 'string',
  remind: 'Remind',
  script: 'string',
  answerModes: 'string[]',
  brand: 'ProjectBrand|null',
  webhookSigned: 'boolean',
  closedAt: 'date-time|null',
  retentionDays: 'integer|null',
  sandbox: 'boolean',
  sandboxEndsAt: 'date-time|null',
};
export const ProjectDetail: Shape = { ...ProjectForOthers, timeFactor: 'number' };

export const CreationCounts: Shape = {
  videosCreated: 'integer',
  uniqueLinksRemaining: 'integer',
  sharedUsesRemaining: 'integer',
  responseSlotsRemaining: 'integer',
};

export const ProjectCreated: Shape = {
  projectId: 'uuid',
  projectName: 'string',
  projectToken: 'prj_',
  dashboardUrl: 'uri',
  count: 'integer',
  maxDurationSec: 'integer',
  transcriptionEnabled: 'boolean',
  noteEnabled: 'boolean',
  requestUrl: 'string',
  interviewEnabled: 'boolean',
  questionCount: 'integer',
  interviewQuestions: 'string[]',
  webhookEnabled: 'boolean',
  sharedLinkEnabled: 'boolean',
  sharedLinkMaxUses: 'integer|null',
  sharedLink: 'CreatedSharedLink|null',
  apiUser: 'ApiUser',
  recipientUrls: 'CreatedLink[]',
  counts: 'CreationCounts',
  sandbox: 'boolean',
  sandboxEndsAt: 'date-time|null',
};

export const ProjectLinks: Shape = {
  projectId: 'uuid',
  sharedLink: 'SharedRecipientLink|null',
  recipientUrls: 'RecipientLink[]',
};

export const Pagination: Shape = { nextCursor: 'string|null' };
export const SubmissionsPage: Shape = { projectId: 'uuid', submissions: 'Submission[]', pagination: 'Pagination' };
export const ProjectList: Shape = { projects: 'ProjectSummary[]' };
export const ExportLinks: Shape = { sharedLink: 'SharedLinkForOthers|null', recipientUrls: 'LinkForOthers[]' };
export const ExportDocument: Shape = {
  version: '1.0.0',
  exportedAt: 'date-time',
  project: 'ProjectForOthers',
  links: 'ExportLinks|null',
  terms: 'texts',
  submissions: 'Submission[]',
};

// Extensions of the contract.
export const LinksPage: Shape = { ...ProjectLinks, pagination: 'Pagination' };
export const DuplicateRow: Shape = { line: 'integer', tokenId: 'uuid|null' };
export const InvalidRow: Shape = { line: 'integer', field: 'string|null', reason: 'string' };
export const LinksAdded: Shape = {
  projectId: 'uuid',
  created: 'integer',
  skipped: 'DuplicateRow[]',
  links: 'CreatedLink[]',
};
export const LinkActionResult: Shape = {
  tokenId: 'uuid',
  done: 'boolean',
  code: 'string|null',
  error: 'string|null',
};
export const LinkActions: Shape = {
  projectId: 'uuid',
  action: 'remind|disable|enable',
  done: 'integer',
  links: 'LinkActionResult[]',
};
export const LinksChecked: Shape = {
  valid: 'integer',
  invalid: 'InvalidRow[]',
  duplicates: 'DuplicateRow[]',
  allowanceAfter: 'integer|null',
};
export const DashboardOverview: Shape = {
  project: 'ProjectForOthers',
  videoBytes: 'integer',
  selectedVideoBytes: 'integer',
};
export const DashboardLinks: Shape = {
  projectId: 'uuid',
  sharedLink: 'SharedLinkForOthers|null',
  recipientUrls: 'LinkForOthers[]',
  pagination: 'Pagination',
};
export const DashboardEndpoint: Shape = { projectId: 'uuid', endpoint: 'WebhookEndpoint|null' };
export const DashboardToken: Shape = { projectId: 'uuid', projectToken: 'prj_', dashboardUrl: 'uri' };
export const DeliveryAttempt: Shape = {
  at: 'date-time',
  statusCode: 'integer|null',
  error: 'string|null',
  durationMs: 'integer',
};
export const WebhookDelivery: Shape = {
  deliveryId: 'uuid',
  eventId: 'uuid',
  eventType: 'string',
  projectId: 'uuid',
  submissionId: 'uuid|null',
  state: 'pending|delivered|paused|failed|erased',
  createdAt: 'date-time',
  deliveredAt: 'date-time|null',
  nextAttemptAt: 'date-time|null',
  attemptCount: 'integer',
  attempts: 'DeliveryAttempt[]',
  test: 'boolean',
};
export const WebhookRedelivery: Shape = { projectId: 'uuid', count: 'integer' };
export const WebhookEndpoint: Shape = {
  state: 'active|paused',
  failingSince: 'date-time|null',
  lastStatusCode: 'integer|null',
  lastError: 'string|null',
  pausedAt: 'date-time|null',
  pauseReason: 'string|null',
};
export const DeliveriesPage: Shape = {
  projectId: 'uuid',
  endpoint: 'WebhookEndpoint|null',
  deliveries: 'WebhookDelivery[]',
  pagination: 'Pagination',
};
export const ErasureCounts: Shape = {
  ...{ submissions: 'integer', uploads: 'integer', notes: 'integer', objects: 'integer|null', objectBytes: 'integer' },
  ...{ links: 'integer', people: 'integer', references: 'integer', responses: 'integer', rememberedAnswers: 'integer' },
  ...{ videosReleased: 'integer', webhookBodies: 'integer', undelivered: 'integer', events: 'integer' },
};
export const Erasure: Shape = {
  projectId: 'uuid',
  submissionId: 'uuid|null',
  tokenId: 'uuid|null',
  state: 'proposed|erasing|erased',
  counts: 'ErasureCounts',
  confirm: 'string|null',
  confirmExpiresAt: 'date-time|null',
  begunAt: 'date-time|null',
  erasedAt: 'date-time|null',
  left: 'integer|null',
  recordsEndAt: 'date-time|null',
};
