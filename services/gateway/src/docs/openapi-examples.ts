import { LIMITS } from '@recording-request/contract/limits';
import { WEBHOOK_EVENTS } from '@recording-request/contract/webhook-events';
import { PEOPLE_BYTES } from '../plugins/bodies.ts';
import { bodyLimitSentence } from '../plugins/errors.ts';
import { exampleResources } from './example-resources.ts';

interface Media {
  example?: unknown;
}

interface Operation {
  operationId?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
}

export interface OpenApiDocument {
  paths?: Record<string, Record<string, Operation>>;
}

const QUERY: Record<string, unknown> = {
  limit: 10,
  selected: true,
  transcriptStatus: 'completed',
  q: 'best bread',
  reference: 'P-17',
  code: '7K3F9QXA',
  omit: 'transcripts',
  identities: 'none',
  names: 'reference',
  status: 'active',
  state: 'invited',
};

const PERSON = {
  ...{ name: 'Ana Sousa', reference: 'P-17', email: 'ana@example.org', locale: 'pt-BR' },
  metadata: { team: 'North' },
  dueAt: '2026-03-20T17:00:00Z',
  timeFactor: 1.5,
};
const PEOPLE_CSV =
  'name,reference,email,locale,dueAt,meta.team\r\nAna Sousa,P-17,ana@example.org,pt-BR,2026-03-20T17:00:00Z,North\r\n';

const BODIES: Record<string, unknown> = {
  createProject: {
    projectName: 'Customer stories',
    count: 1,
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 50,
    maxDurationSec: 120,
    transcriptionEnabled: true,
    noteEnabled: true,
    requestUrl: 'https://bakery.example/brief',
    recipients: [PERSON],
  },
  updateProject: { projectName: 'Customer stories', neverExpire: true },
  updateCurrentUser: { brand: { name: 'Corner Bakery', accent: '#8c2f39' } },
  updateLink: { dueAt: '2026-03-27T17:00:00Z' },
  addLinks: { links: [PERSON], onDuplicate: 'skip' },
  actOnLinks: {
    action: 'remind',
    tokenIds: ['019a3f0e-52c1-7a10-8c55-0d6f3b1f2a02', '019a3f0e-52c1-7a10-8c55-0d6f3b1f2a03'],
  },
  eraseProject: { confirm: 'k1.Zm9yIG9uZSBwcm9qZWN0LCB0ZW4gbWludXRlcw' },
  eraseLink: { confirm: 'k1.Zm9yIG9uZSBsaW5rLCB0ZW4gbWludXRlcw' },
  eraseSubmission: { confirm: 'k1.Zm9yIG9uZSBjbGlwLCB0ZW4gbWludXRlcw' },
  testWebhook: { type: 'submission.media.completed' },
  redeliverWebhooks: { from: '2026-03-02T00:00:00Z', to: '2026-03-03T00:00:00Z', undeliveredOnly: true },
  rateSubmission: { rating: 5 },
  addNote: { id: '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d210', atSec: 12.5, text: 'Begin here' },
  updateSubmission: { selected: true, reviewNote: 'For the front page' },
};

const TEXTS: Record<string, string> = {
  'text/vtt': 'WEBVTT\n\n00:00:00.400 --> 00:00:02.100\nThe best bread in town.\n',
  'application/x-subrip': '1\n00:00:00,400 --> 00:00:02,100\nThe best bread in town.\n',
  'text/plain': 'The best bread in town.',
  'text/csv': 'submissionId,videoId,tokenId,…\r\n',
};

/** The example files of operations, where the example of their media type in TEXTS is a different file. */
const FILES: Record<string, string> = {
  exportLinksCsv:
    'name,reference,email,locale,recipientUrl,state,dueAt,tokenId,metadata,remindersSent,remindersStopped\r\n"Ana Sousa","P-17",…\r\n',
};

const ERRORS: Record<string, string> = {
  401: 'Send a valid API token in the header "Authorization: Bearer <API_TOKEN>".',
  404: 'There is no such project.',
  409: 'The first request with this Idempotency-Key is still running; try again in a moment.',
  410: 'The submission was erased; what told of it cannot be sent again.',
  415: 'Send the body as application/json.',
  416: 'The range lies outside the 6291456 bytes there are.',
  422: 'This Idempotency-Key was used with another body: use a new key for a new request.',
  429: 'Too many requests; wait 12 s before the next one.',
  500: 'Something went wrong on our side; try again later.',
  503: 'The service is busy; try again in a moment.',
};
const LARGEST_BODY = 1_048_576;
/** The body limits of the operations that have their own limit. */
const LARGEST: Record<string, number> = { addLinks: PEOPLE_BYTES, setLogo: LIMITS.logoBytes };
/** The example sentences of status 400, by operation. */
const INVALID: Record<string, string> = {
  listEvents: 'limit must be a whole number from 1 to 200.',
  createProject: 'count must be at least 1.',
  updateProject: `maxDurationSec must be at most ${LIMITS.maxDurationSec}.`,
  updateCurrentUser: `brand.name must have at most ${LIMITS.brandNameLength} characters, and no control characters but white space.`,
  updateSubmission: `reviewNote must have at most ${LIMITS.reviewNoteLength} characters.`,
  rateSubmission: `rating must be a whole number from 1 to ${LIMITS.rating}, or null.`,
  addNote: `atSec must be a number from 0 to ${LIMITS.noteAtSec}.`,
  updateLink: 'dueAt must be a time with its zone, such as 2026-03-02T10:00:00Z.',
  addLinks:
    'links[1].email must be an email address of at most 320 characters, such as ana@example.org. Nothing was created.',
  actOnLinks: `tokenIds must have 1 to ${LIMITS.linkActions} entries, each a UUID.`,
  redeliverWebhooks: 'from must be before to.',
  testWebhook: `type must be one of ${WEBHOOK_EVENTS.join(', ')}, not "response.done".`,
};
const QUERY_FAULTS: Record<string, string> = {
  limit: `limit must be a whole number from 1 to ${LIMITS.pageSize}.`,
  selected: 'selected must be true or false, not "yes".',
  bom: 'bom must be 1 or 0.',
  identities: 'identities must be one of all, none, not "no".',
};
const UNCONFIRMED = 'confirm has expired: send the request without confirm for a new one. Nothing was erased.';
const CONFLICTS: Record<string, string> = {
  requestTranscript: 'A transcript can be asked for again once it has failed; this one is completed.',
  requestMedia: 'Nothing of the media of this clip failed, so that there is nothing to make again.',
  eraseProject: UNCONFIRMED,
  eraseLink: UNCONFIRMED,
  eraseSubmission: UNCONFIRMED,
  testWebhook: 'The project has no webhookUrl; set one first.',
  redeliverWebhook: 'The project has no webhookUrl; set one first.',
  redeliverWebhooks: 'The project has no webhookUrl; set one first.',
};

const UNPROCESSABLE: Record<string, string> = {
  addNote: `A clip has at most ${LIMITS.timedNotes} notes: remove one first.`,
  eraseLink:
    'The shared link belongs to many people, so it cannot be erased: disable it and erase its submissions, or erase the project.',
};
const GONE: Record<string, string> = {
  updateLink: 'This recording link was erased, so it cannot be changed: add a new link.',
  listEvents: 'The feed no longer has the events after this cursor; continue from the cursor in Events-Oldest.',
};

/** Returns the JSON answers, by operation. */
function answersOf(baseUrl: string): Record<string, unknown> {
  const all = exampleResources(baseUrl);
  return {
    getCurrentUser: all.me,
    updateCurrentUser: all.me,
    listProjects: all.projects,
    createProject: all.created,
    getProject: all.project,
    updateProject: all.project,
    setLogo: all.projectWithLogo,
    removeLogo: all.project,
    closeProject: all.closedProject,
    reopenProject: all.project,
    listLinks: all.links,
    updateLink: all.changedLink,
    addLinks: all.added,
    remindLink: all.remindedLink,
    actOnLinks: all.linkActions,
    rotateDashboardToken: all.dashboardToken,
    listSubmissions: all.submissions,
    getSubmission: all.submission,
    updateSubmission: all.submission,
    getReview: all.review,
    rateSubmission: all.review,
    addNote: all.review,
    removeNote: { ...all.review, notes: [] },
    dashboardGetReview: all.review,
    requestTranscript: { ...all.submission, transcriptStatus: 'pending', transcriptText: null, transcriptVtt: null },
    requestMedia: { ...all.submission, mediaStatus: 'processing', mediaError: null },
    exportJson: all.bundle,
    dashboardExportJson: all.bundle,
    dashboardGetOverview: all.overview,
    dashboardListSubmissions: all.submissions,
    dashboardGetSubmission: all.submission,
    dashboardListLinks: all.linksPage,
    dashboardGetWebhookEndpoint: all.endpoint,
    listWebhookDeliveries: all.deliveries,
    listEvents: all.events,
    eraseProject: all.projectErasure,
    'eraseProject 202': all.erasingProject,
    getErasure: all.projectErasure,
    eraseLink: all.linkErasure,
    'eraseLink 202': all.erasingLink,
    eraseSubmission: all.proposedErasure,
    redeliverWebhook: all.delivery,
    redeliverWebhooks: all.redelivery,
    testWebhook: { ...all.delivery, eventType: 'webhook.test', submissionId: null, test: true },
  };
}

/**
 * Repeats examples as `example`, because generators read that field. JSON Schema, and so validators, know only
 * `examples`.
 */
function repeatExamples(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as { pattern?: string; examples?: unknown[]; example?: unknown };
  if (schema.pattern && Array.isArray(schema.examples)) schema.example = schema.examples[0];
  for (const value of Object.values(part)) repeatExamples(value);
}

/** Adds an example to every body, answer, error and query of the document. Changes the document in place. */
export function addExamples<T extends OpenApiDocument>(document: T, baseUrl: string): T {
  const answers = answersOf(baseUrl);
  repeatExamples(document.paths);
  for (const operation of Object.values(document.paths ?? {}).flatMap(methods => Object.values(methods))) {
    const { operationId = '', parameters = [], requestBody, responses = {} } = operation;
    for (const parameter of parameters) {
      if (parameter.in === 'query' && parameter.name in QUERY) parameter.example = QUERY[parameter.name];
    }
    for (const [type, media] of Object.entries(requestBody?.content ?? {}))
      media.example ??= type === 'text/csv' ? PEOPLE_CSV : BODIES[operationId];
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const [type, media] of Object.entries(content)) {
        const example =
          status === '200' || status === '202'
            ? (answers[`${operationId} ${status}`] ?? answers[operationId] ?? FILES[operationId] ?? TEXTS[type])
            : errorOf(operation, status);
        if (example !== undefined) media.example ??= example;
      }
    }
  }
  return document;
}

function errorOf(operation: Operation, status: string): { error: string } | undefined {
  const { operationId = '', security = [] } = operation;
  const [scope] = security.flatMap(each => Object.values(each).flat());
  if (status === '403' && scope) return { error: `The token lacks the scope ${scope}.` };
  if (status === '400') return { error: INVALID[operationId] ?? invalidParameter(operation) };
  if (status === '413') return { error: bodyLimitSentence(LARGEST[operationId] ?? LARGEST_BODY) };
  const error =
    (status === '409' && CONFLICTS[operationId]) ||
    (status === '410' && GONE[operationId]) ||
    (status === '422' && UNPROCESSABLE[operationId]) ||
    ERRORS[status];
  return error ? { error } : undefined;
}

/**
 * Returns an error sentence about a parameter of the operation: about the first query parameter if there is one, or
 * else about the last id, or else about an unknown name.
 */
function invalidParameter({ parameters = [] }: Operation): string {
  const query = parameters.find(each => each.in === 'query' && each.name in QUERY_FAULTS);
  if (query) return QUERY_FAULTS[query.name]!;
  const id = parameters.findLast(each => each.in === 'path' && each.name.endsWith('Id'));
  return id ? `${id.name} must be a UUID.` : 'page is not a parameter that this route takes: leave it out.';
}
