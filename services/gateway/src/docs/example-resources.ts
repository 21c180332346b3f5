/** One project of a bakery, used throughout openapi.json. A test validates every example against its schema. */
import { dashboardUrl, logoUrl, qrCodeUrl, recipientUrl } from '@recording-request/contract/addresses';
import { sampleSubmission } from '@recording-request/contract/sample-event';

const PROJECT = '019a3f0e-52c1-7a10-8c55-0d6f3b1f2a01';
const SUBMISSION = '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d202';
const LINK = '019a3f0e-52c1-7a10-8c55-0d6f3b1f2a02';
const TOKEN = 'vr_0000000000000000000000000000000EXAMPLE';
const SHARED = 'vr_1111111111111111111111111111111EXAMPLE';
const PROJECT_TOKEN = 'prj_0000000000000000000000000000000EXAMPLE';
const CREATED = '2026-03-02T09:00:00.000Z';
const EXPIRES = '2026-04-01T09:00:00.000Z';
const QUESTIONS: string[] = [];

const allowance = {
  userId: '019a3e00-1f00-7b00-9d00-3c0000000001',
  userName: 'Corner Bakery',
  videoLimit: 500,
  videosReserved: 53,
  remainingVideos: 447,
};

const NO_COUNTS = {
  ...{ submissions: 0, uploads: 0, notes: 0, objects: 0, objectBytes: 0, links: 0, people: 0, references: 0 },
  ...{ responses: 0, rememberedAnswers: 0, videosReleased: 0, webhookBodies: 0, undelivered: 0, events: 0 },
};

const ana = { name: 'Ana Sousa', reference: 'P-17', email: 'ana@example.org', locale: 'pt-BR', verified: true };

const link = (baseUrl: string, token: string, linkType: 'unique' | 'shared') => {
  const shared = linkType === 'shared';
  return {
    tokenId: `019a3f0e-52c1-7a10-8c55-0d6f3b1f2a0${shared ? 3 : 2}`,
    token,
    linkType,
    status: 'active',
    maxUses: shared ? 50 : 1,
    submissionCount: shared ? 1 : 0,
    remainingUses: shared ? 49 : 1,
    openedAt: shared ? '2026-03-02T10:11:12.000Z' : null,
    submittedAt: shared ? '2026-03-02T10:14:40.000Z' : null,
    expiresAt: EXPIRES,
    createdAt: CREATED,
    recipientUrl: recipientUrl(baseUrl, token),
    ...(shared && { qrCodePngUrl: qrCodeUrl(baseUrl, PROJECT) }),
    completedAt: shared ? '2026-03-02T10:14:40.000Z' : null,
    recipient: shared ? null : ana,
    metadata: shared ? {} : { team: 'North' },
    dueAt: shared ? null : '2026-03-20T17:00:00.000Z',
    changedAt: shared ? '2026-03-02T10:14:40.000Z' : CREATED,
    state: shared ? null : 'invited',
    answersSent: null,
    questionCount: null,
    sandbox: false,
    remindersSent: 0,
    remindersStopped: false,
  };
};

const settings = {
  maxDurationSec: 120,
  transcriptionEnabled: true,
  noteEnabled: true,
  interviewEnabled: false,
  questionCount: 0,
  webhookEnabled: true,
};

const summary = {
  projectId: PROJECT,
  projectName: 'Customer stories',
  createdAt: CREATED,
  expiresAt: EXPIRES,
  ...settings,
  requireTerms: false,
  showSuccessDialog: true,
  stats: {
    videosCreated: 1,
    selectedVideos: 1,
    transcriptCompleted: 1,
    transcriptPending: 0,
    transcriptFailed: 0,
    uniqueLinksTotal: 3,
    uniqueLinksRemaining: 3,
    sharedLinksTotal: 1,
    sharedUsesRemaining: 49,
    totalResponseCapacity: 53,
    responseSlotsUsed: 1,
    responseSlotsRemaining: 52,
  },
  sandbox: false,
};

const detail = {
  ...summary,
  requestUrl: 'https://bakery.example/brief',
  webhookUrl: 'https://bakery.example/hooks/videos',
  sharedLinkEnabled: true,
  sharedLinkMaxUses: 50,
  termsLabel: '',
  termsText: '',
  interviewQuestions: QUESTIONS,
  successMessage: 'Thank you! A croissant awaits you.',
  webhookEvents: ['submission.media.completed', 'response.completed'],
  webhookSigned: true,
  closedAt: null,
  retentionDays: 90,
  sandboxEndsAt: null,
  transcriptionLanguage: 'en',
  acceptReference: true,
  returnUrl: 'https://bakery.example/thanks?order={reference}&code={code}',
  remind: { afterDays: [3, 7], beforeDueHours: [24] },
  answerModes: ['video', 'file'],
  script: '- Your first visit\n- Your favourite bread',
  brand: { name: 'Corner Bakery', accent: '#8c2f39', logoUrl: null as string | null },
};

/** The project as its owner sees it. */
const own = { ...detail, timeFactor: 1 };

function submission(baseUrl: string) {
  const { tokenId } = link(baseUrl, SHARED, 'shared');
  const ids = [SUBMISSION, tokenId, '019a3f1b-9a00-7c3e-b1a7-6a2f40c9d2aa'];
  const project = { projectId: PROJECT, projectName: summary.projectName };
  const at = new Date('2026-03-02T10:15:28.000Z');
  return {
    ...sampleSubmission({ baseUrl, ...project, at, id: () => ids.shift()! }),
    videoId: '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d203',
    reviewNote: 'For the front page',
    selected: true,
    rating: 5,
    recipient: { name: null, reference: 'P-17', email: null, locale: null, verified: false },
    changedAt: '2026-03-02T10:20:00.000Z',
  };
}

const delivery = {
  deliveryId: '019a3f1b-a000-7000-8000-000000000001',
  eventId: '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d2ff',
  eventType: 'submission.completed',
  projectId: PROJECT,
  submissionId: SUBMISSION,
  state: 'delivered',
  createdAt: '2026-03-02T10:14:40.100Z',
  deliveredAt: '2026-03-02T10:14:40.412Z',
  nextAttemptAt: null,
  attemptCount: 1,
  attempts: [{ at: '2026-03-02T10:14:40.200Z', statusCode: 204, error: null, durationMs: 212 }],
  test: false,
};

const endpoint = {
  ...{ state: 'active', failingSince: null, lastStatusCode: null, lastError: null },
  ...{ pausedAt: null, pauseReason: null },
};

/** Returns every resource of the examples, with addresses of this deployment. */
export function exampleResources(baseUrl: string) {
  const unique = link(baseUrl, TOKEN, 'unique');
  const shared = link(baseUrl, SHARED, 'shared');
  const [ownUnique, ownShared] = [
    { ...unique, timeFactor: 1.5 },
    { ...shared, timeFactor: null },
  ];
  const fresh = {
    ...{ submissionCount: 0, remainingUses: 50, openedAt: null, submittedAt: null },
    ...{ completedAt: null, changedAt: CREATED },
  };
  const dashboard = { projectToken: PROJECT_TOKEN, dashboardUrl: dashboardUrl(baseUrl, PROJECT_TOKEN) };
  const clip = submission(baseUrl);
  return {
    me: {
      ...allowance,
      tokenId: '019a3e00-1f00-7b00-9d00-3c0000000002',
      tokenLabel: 'website',
      scopes: ['profile:read', 'projects:read', 'submissions:read'],
      brand: { name: 'Corner Bakery', accent: '#8c2f39' },
    },
    projects: { projects: [summary] },
    project: own,
    projectWithLogo: { ...own, brand: { ...own.brand, logoUrl: logoUrl(baseUrl, PROJECT) } },
    closedProject: {
      ...own,
      stats: { ...detail.stats, uniqueLinksRemaining: 0, sharedUsesRemaining: 0, responseSlotsRemaining: 0 },
      closedAt: '2026-03-03T09:00:00.000Z',
    },
    created: {
      projectId: PROJECT,
      projectName: summary.projectName,
      ...dashboard,
      count: 1,
      ...settings,
      requestUrl: detail.requestUrl,
      interviewQuestions: QUESTIONS,
      sharedLinkEnabled: true,
      sharedLinkMaxUses: 50,
      sharedLink: { ...ownShared, ...fresh, url: shared.recipientUrl },
      apiUser: { ...allowance, reservedVideoCount: 51 },
      recipientUrls: [{ ...ownUnique, url: unique.recipientUrl }],
      counts: { videosCreated: 0, uniqueLinksRemaining: 1, sharedUsesRemaining: 50, responseSlotsRemaining: 51 },
      sandbox: false,
      sandboxEndsAt: null,
    },
    links: { projectId: PROJECT, sharedLink: ownShared, recipientUrls: [ownUnique] },
    linksPage: {
      projectId: PROJECT,
      sharedLink: ownShared,
      recipientUrls: [ownUnique],
      pagination: { nextCursor: null },
    },
    overview: { project: detail, videoBytes: clip.fileSize, selectedVideoBytes: clip.fileSize },
    changedLink: { ...ownUnique, dueAt: '2026-03-27T17:00:00.000Z', changedAt: '2026-03-04T08:00:00.000Z' },
    remindedLink: { ...ownUnique, changedAt: '2026-03-04T08:00:00.000Z', remindersSent: 1 },
    added: {
      projectId: PROJECT,
      created: 1,
      skipped: [{ line: 3, tokenId: '019a3f0e-52c1-7a10-8c55-0d6f3b1f2a04' }],
      links: [{ ...ownUnique, url: unique.recipientUrl }],
    },
    dashboardToken: { projectId: PROJECT, ...dashboard },
    submission: clip,
    submissions: { projectId: PROJECT, submissions: [clip], pagination: { nextCursor: null } },
    bundle: {
      version: '1.0.0',
      exportedAt: '2026-03-03T08:00:00.000Z',
      project: detail,
      links: { sharedLink: shared, recipientUrls: [unique] },
      terms: {},
      submissions: [clip],
    },
    review: {
      ...{ submissionId: SUBMISSION, rating: 5 },
      notes: [
        {
          ...{ id: '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d210', atSec: 12.5, text: 'Begin here', author: null },
          createdAt: '2026-03-02T10:20:00.000Z',
        },
      ],
    },
    delivery,
    deliveries: {
      projectId: PROJECT,
      endpoint,
      deliveries: [delivery],
      pagination: { nextCursor: null },
    },
    endpoint: { projectId: PROJECT, endpoint },
    events: {
      events: [
        {
          ...{ eventId: delivery.eventId, type: 'submission.completed', createdAt: delivery.createdAt },
          ...{ projectId: PROJECT, submissionId: SUBMISSION, tokenId: clip.tokenId, erased: false },
          data: { projectId: PROJECT, projectName: summary.projectName, submission: clip },
        },
      ],
      nextCursor: 'MS4xNzcyNDQ2NDgwMTAwLmFiY2RlZmdoaWpr',
      caughtUp: true,
    },
    linkActions: {
      ...{ projectId: PROJECT, action: 'remind', done: 1 },
      links: [
        { tokenId: LINK, done: true, code: null, error: null },
        {
          ...{ tokenId: link(baseUrl, SHARED, 'shared').tokenId, done: false, code: 'not_remindable' },
          error: 'The shared link is for everyone, so it reminds nobody.',
        },
      ],
    },
    redelivery: { projectId: PROJECT, count: 12 },
    proposedErasure: {
      ...{ projectId: PROJECT, submissionId: SUBMISSION, tokenId: null, state: 'proposed' },
      counts: {
        ...NO_COUNTS,
        submissions: 1,
        uploads: 1,
        objects: 6,
        objectBytes: 7_340_032,
        people: 1,
        webhookBodies: 2,
        events: 3,
      },
      ...{ confirm: 'k1.Zm9yIG9uZSBjbGlwLCB0ZW4gbWludXRlcw', confirmExpiresAt: '2026-03-02T10:40:00.000Z' },
      ...{ begunAt: null, erasedAt: null, left: null, recordsEndAt: null },
    },
    projectErasure: {
      ...{ projectId: PROJECT, submissionId: null, tokenId: null, state: 'erased' },
      counts: {
        ...{ ...NO_COUNTS, submissions: 41, uploads: 43, notes: 1, objects: 246, objectBytes: 300_941_312, links: 54 },
        ...{ people: 53, responses: 44, rememberedAnswers: 1, videosReleased: 12, webhookBodies: 82, events: 190 },
      },
      ...{ confirm: null, confirmExpiresAt: null, begunAt: '2026-03-02T10:31:00.000Z' },
      ...{ erasedAt: '2026-03-02T10:31:02.500Z', left: 0, recordsEndAt: '2026-03-09T16:46:02.500Z' },
    },
    linkErasure: {
      ...{ projectId: PROJECT, submissionId: null, tokenId: LINK, state: 'erased' },
      counts: {
        ...{ ...NO_COUNTS, submissions: 2, uploads: 3, objects: 13, objectBytes: 14_680_064, links: 1, people: 1 },
        ...{ responses: 1, webhookBodies: 5, events: 9 },
      },
      ...{ confirm: null, confirmExpiresAt: null, begunAt: '2026-03-02T10:31:00.000Z' },
      ...{ erasedAt: '2026-03-02T10:31:00.900Z', left: 0, recordsEndAt: '2026-03-09T16:46:00.900Z' },
    },
    erasingLink: {
      ...{ projectId: PROJECT, submissionId: null, tokenId: LINK, state: 'erasing' },
      counts: { ...NO_COUNTS, submissions: 1, uploads: 1, objects: 6, objectBytes: 7_340_032, links: 1, people: 1 },
      ...{ confirm: null, confirmExpiresAt: null, begunAt: '2026-03-02T10:31:00.000Z' },
      ...{ erasedAt: null, left: null, recordsEndAt: null },
    },
    erasingProject: {
      ...{ projectId: PROJECT, submissionId: null, tokenId: null, state: 'erasing' },
      counts: { ...NO_COUNTS, submissions: 12, uploads: 12, objects: 72, objectBytes: 88_080_384 },
      ...{ confirm: null, confirmExpiresAt: null, begunAt: '2026-03-02T10:31:00.000Z' },
      ...{ erasedAt: null, left: null, recordsEndAt: null },
    },
  };
}
