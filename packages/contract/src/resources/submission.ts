import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  ANSWER_MODES,
  type AnswerModeName,
  dateTime,
  flag,
  MEDIA_STATUSES,
  nullableFormat,
  nullableInteger,
  nullableRef,
  nullableText,
  oneOf,
  ref,
  resource,
  TRANSCRIPT_STATUSES,
  type TranscriptStatusName,
  text,
  uri,
  uuid,
} from './fields.ts';
import { metadata, Recipient } from './recipient.ts';

export const AcceptedTerms = Type.Object(
  {
    sha256: text('Hex SHA-256 of the text that was accepted.'),
    acceptedAt: dateTime('When it was accepted.'),
  },
  { $id: 'AcceptedTerms', ...resource },
);
export type AcceptedTermsJson = Static<typeof AcceptedTerms>;

export const rating = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  description: `The owner's rating, 1 to ${LIMITS.rating}; null without one.`,
});

export const Submission = Type.Object(
  {
    submissionId: uuid('The submission: one recorded clip.'),
    videoId: uuid('The video of the submission.'),
    tokenId: nullableFormat('uuid', 'The link that it came through.'),
    projectId: uuid('The project.'),
    projectName: text("The project's current title."),
    responseSessionId: nullableFormat(
      'uuid',
      "Ties one contributor's interview answers together; null outside interviews, where `responseId` names the response.",
    ),
    questionIndex: nullableInteger('Position of the question, from 0; null outside interviews.'),
    questionText: nullableText('The question as the contributor saw it; null outside interviews.'),
    createdAt: dateTime('When the whole clip had arrived.'),
    durationSec: nullableInteger('Length in seconds, rounded to the nearest; null while unknown.'),
    fileSize: nullableInteger('The size in bytes of the video that its route serves.'),
    mimeType: nullableText('The media type of the video that its route serves.'),
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
    thumbnailStartUrl: nullableFormat('uri', 'The first frame; null until it is ready.'),
    thumbnailMiddleUrl: nullableFormat('uri', 'A frame from the middle; null until it is ready.'),
    thumbnailEndUrl: nullableFormat('uri', 'The last frame; null until it is ready.'),
    audioUrl: nullableFormat('uri', 'The sound alone; null until it is ready, or without an audio track.'),
    mediaStatus: oneOf(
      MEDIA_STATUSES,
      'The state of the seekable video, the thumbnails and the audio. The video is available in every state.',
    ),
    mediaError: nullableText('The parts that could not be made, and why; also if the media is ready without them.'),
    incomplete: flag('Whether the take was sent but is incomplete: the received part plays.'),
    sha256: nullableText('Hex SHA-256 of the bytes as uploaded.'),
    terms: nullableRef(AcceptedTerms),
    language: nullableText(
      'The recognised language, as an ISO 639-1 code (639-3 if it has none); null while it is unknown.',
    ),
    responseId: uuid(
      'The response of the submission, in an interview or not. The upload interface, the filter and the event response.completed call it responseSessionId.',
    ),
    recipient: nullableRef(Recipient),
    metadata,
    late: flag('Whether the clip landed after the `dueAt` of its link.'),
    changedAt: dateTime(
      'When any part of the submission last changed: media, transcript, note, selection, rating, recipient, metadata or dueAt. In an event, the time of the event.',
    ),
    sandbox: flag('Whether the project is a sandbox, so that the clip is a test.'),
    rating,
    answerMode: Type.Unsafe<AnswerModeName | null>({
      type: ['string', 'null'],
      enum: [...ANSWER_MODES, null],
      description:
        'How the contributor answered, as the recorder says. audio: the video shows a still picture. null if the recorder did not say.',
    }),
    signed: flag('Whether the contributor said “I sign”: silence is expected.'),
  },
  { $id: 'Submission', ...resource },
);
export type SubmissionJson = Static<typeof Submission>;

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
