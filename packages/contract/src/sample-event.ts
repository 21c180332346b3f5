/** An event as real ones are, of a contributor who is made up: for test events and for the description. */
import { submissionUrl } from './addresses.ts';
import type { SubmissionJson } from './resources/submission.ts';
import type { WebhookSubject } from './webhook.ts';
import type { WebhookEventType } from './webhook-events.ts';

export interface SampleContext {
  baseUrl: string;
  projectId: string;
  projectName: string;
  /** When it is to have happened. */
  at: Date;
  /** Makes an id for each thing that the event is about. */
  id(): string;
}

const CLIP_SEC = 48;
const WORDS = 'The best bread in town.';
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

/** How the submission of a sample differs from one of which everything is done. */
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

/** What a sample of this type tells. */
export function sampleSubject(type: WebhookEventType, context: SampleContext): WebhookSubject {
  const { at, id } = context;
  switch (type) {
    case 'webhook.test':
      return { type };
    case 'response.completed':
      return { type, response: { responseSessionId: id(), tokenId: id(), submissionIds: [id(), id()] } };
    case 'submission.erased':
      return { type, submissionId: id(), erasedAt: at };
    default:
      return { type, submission: { ...sampleSubmission(context), ...STATES[type] } };
  }
}

/** A submission of which everything is done. */
function sampleSubmission({ baseUrl, projectId, projectName, at, id }: SampleContext): SubmissionJson {
  const submissionId = id();
  const url = submissionUrl(baseUrl, projectId, submissionId);
  return {
    submissionId,
    videoId: submissionId,
    tokenId: id(),
    projectId,
    projectName,
    responseSessionId: null,
    questionIndex: null,
    questionText: null,
    createdAt: new Date(at.getTime() - CLIP_SEC * 1_000).toISOString(),
    durationSec: CLIP_SEC,
    fileSize: 6_291_456,
    mimeType: 'video/webm',
    note: 'I come every Saturday',
    reviewNote: null,
    selected: false,
    transcriptStatus: 'completed',
    transcriptText: WORDS,
    transcriptVtt: `WEBVTT\n\n00:00:00.400 --> 00:00:02.100\n${WORDS}\n`,
    transcriptError: null,
    termsAccepted: false,
    transcriptTextUrl: `${url}/transcript.txt`,
    transcriptVttUrl: `${url}/transcript.vtt`,
    videoUrl: `${url}/video`,
    thumbnailStartUrl: `${url}/thumbnail-start`,
    thumbnailMiddleUrl: `${url}/thumbnail-middle`,
    thumbnailEndUrl: `${url}/thumbnail-end`,
    audioUrl: `${url}/audio`,
    mediaStatus: 'ready',
    mediaError: null,
    incomplete: false,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    terms: null,
    language: 'en',
    responseId: id(),
  };
}
