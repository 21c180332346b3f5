/** Builds an event like a real one, with an invented contributor, for test events and for the API description. */
import type { Invitation } from '@recording-request/proto/projects/v1/projects';
import { MediaStatus, type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { presentEventLink, withStopUrl } from './present/recipient.ts';
import { presentSubmission } from './present/submission.ts';
import type { EventLinkJson } from './resources/recipient.ts';
import type { SubmissionJson } from './resources/submission.ts';
import type { WebhookSubject } from './webhook.ts';
import type { WebhookEventType } from './webhook-events.ts';

export interface SampleContext {
  baseUrl: string;
  projectId: string;
  projectName: string;
  /** The time of the event. */
  at: Date;
  /** Creates an id for each thing in the event. */
  id(): string;
}

const CLIP_SEC = 48;
const FAILED_MS = 900_000;
const DUE_MS = 7 * 86_400_000;
const SAMPLE_TOKEN = `vr_${'0'.repeat(43)}`;
const WORDS = 'The best bread in town.';
const INVITATION: Invitation = {
  person: { name: 'Ada Example', reference: 'P-17', email: 'ada@example.com', locale: 'en', verified: true },
  metadata: { branch: 'North' },
};
const PENDING: Partial<SubmissionJson> = {
  transcriptStatus: 'pending',
  transcriptText: null,
  transcriptVtt: null,
  language: null,
};
const NO_MEDIA: Partial<SubmissionJson> = {
  thumbnailStartUrl: null,
  thumbnailMiddleUrl: null,
  thumbnailEndUrl: null,
  audioUrl: null,
};

/** For each sample, the fields that differ from a fully processed submission. */
const STATES = {
  'submission.completed': { ...PENDING, ...NO_MEDIA, mediaStatus: 'processing' },
  'submission.media.completed': PENDING,
  'submission.media.failed': {
    ...PENDING,
    ...NO_MEDIA,
    transcriptStatus: 'failed',
    transcriptError: 'The clip is damaged.',
    mediaStatus: 'failed',
    mediaError: 'The clip is damaged.',
  },
  'submission.transcript.completed': {},
  'submission.transcript.failed': {
    ...PENDING,
    transcriptStatus: 'failed',
    transcriptError: 'The speech-to-text service did not answer.',
  },
} satisfies Record<string, Partial<SubmissionJson>>;

/** Returns the content of a sample event of this type. */
export function sampleSubject(type: WebhookEventType, context: SampleContext): WebhookSubject {
  const { at, id } = context;
  switch (type) {
    case 'webhook.test':
    case 'project.created':
      return { type };
    case 'project.updated':
      return { type, changed: ['noteEnabled', 'expiresAt'] };
    case 'link.recording':
      return { type, link: sampleLink(context), responseSessionId: id() };
    case 'link.reminder_due':
      return { type, number: 1, ...withStopUrl(sampleLink(context)) };
    case 'link.closed':
      return { type, link: sampleLink(context) };
    case 'response.completed':
      return { type, response: { responseSessionId: id(), tokenId: id(), submissionIds: [id(), id()] } };
    case 'submission.erased':
      return { type, submissionId: id(), erasedAt: at };
    case 'webhook.failing':
      return {
        ...{ type, failingSince: new Date(at.getTime() - FAILED_MS), unsentEvents: 3 },
        ...{ lastStatusCode: 503, lastError: 'the endpoint answered 503' },
      };
    default:
      return { type, submission: { ...sampleSubmission(context), ...STATES[type] } };
  }
}

function sampleLink({ baseUrl, at, id }: SampleContext): EventLinkJson {
  const person = { name: 'Ada Baker', reference: 'P-17', email: 'ada@bakery.example', locale: 'en', verified: true };
  const invitation = { person, metadata: { shop: 'North' }, dueAt: new Date(at.getTime() + DUE_MS) };
  return presentEventLink({ tokenId: id(), token: SAMPLE_TOKEN, invitation }, baseUrl);
}

/** Returns a fully processed submission. */
export function sampleSubmission({ baseUrl, projectId, projectName, at, id }: SampleContext): SubmissionJson {
  const submissionId = id();
  const sample: Submission = {
    submissionId,
    videoId: submissionId,
    linkId: id(),
    projectId,
    ownerId: '',
    createdAt: new Date(at.getTime() - CLIP_SEC * 1_000),
    durationSec: CLIP_SEC,
    fileSize: 6_291_456,
    mimeType: 'video/webm',
    note: 'I come every Saturday',
    selected: false,
    transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
    transcriptText: WORDS,
    transcriptVtt: `WEBVTT\n\n00:00:00.400 --> 00:00:02.100\n${WORDS}\n`,
    hasThumbnails: true,
    hasAudio: true,
    mediaStatus: MediaStatus.MEDIA_STATUS_READY,
    incomplete: false,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    language: 'en',
    responseId: id(),
    answerMode: 'video',
  };
  return presentSubmission(sample, { baseUrl, projectName, invitation: INVITATION });
}
