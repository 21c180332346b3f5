export type TranscriptState = 'none' | 'disabled' | 'pending' | 'processing' | 'completed' | 'failed';

/** An object of the store, as it was measured when it was written. */
export interface StoredObject {
  key: string;
  size: number;
  mimeType: string;
  sha256: string;
  crc32: number | undefined;
}

/** A clip that landed. */
export interface Submission {
  id: string;
  projectId: string;
  ownerId: string;
  linkId: string;
  responseId: string;
  interview: boolean;
  questionIndex: number;
  questionText: string | undefined;
  createdAt: Date;
  changedAt: Date;
  durationSec: number | undefined;
  note: string | undefined;
  reviewNote: string | undefined;
  selected: boolean;
  transcriptStatus: TranscriptState;
  transcriptText: string | undefined;
  transcriptVtt: string | undefined;
  transcriptError: string | undefined;
  /** How often a transcript was asked for: an answer to an older request is stale. */
  transcriptRequest: number;
  terms: { sha256: string; text: string; acceptedAt: Date } | undefined;
  mediaStatus: 'processing' | 'ready' | 'failed';
  mediaError: string | undefined;
  mediaAsks: number;
  /** When the last work was asked for: what is older than a bound is asked again. */
  askedAt: Date;
  /** The original upload, until the remux is recorded. */
  source: StoredObject | undefined;
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  incomplete: boolean;
  /** Hex, of the bytes as uploaded. */
  sha256: string;
}

/** The findings of the media service about the bytes of an upload. */
export interface Inspection {
  container: string;
  durationSec: number;
  hasAudio: boolean;
  videoCodec: string;
  /** "" without audio. */
  audioCodec: string;
  width: number;
  height: number;
  keyFrames: number[];
  lastFrameSec: number;
  videoPackets: number;
  audioPackets: number;
}

/** A fact that is published with the write that makes it true. */
export type SubmissionEvent =
  | {
      type: 'submission.completed' | 'submission.transcript.completed' | 'submission.transcript.failed';
      submission: Submission;
    }
  | { type: 'submission.media.requested'; submission: Submission; inspection: Inspection | undefined }
  | { type: 'submission.transcript.requested'; submission: Submission; requestNumber: number }
  | { type: 'submission.erased'; projectId: string; submissionId: string };

/** A change of a submission: the fields that it sets, and the events that announce it. */
export interface Change {
  set: Partial<Submission>;
  events: SubmissionEvent[];
}

/** The filters of a list of submissions. */
export interface Filter {
  selected?: boolean;
  transcriptStatus?: TranscriptState;
  /** Words that all stand in what was said, noted or asked. */
  words?: string[];
  linkId?: string;
  responseId?: string;
  mediaStatus?: Submission['mediaStatus'];
  createdAfter?: Date;
  changedAfter?: Date;
}

/** How many submissions a project has. */
export interface Counts {
  total: number;
  selected: number;
  byTranscript: Partial<Record<TranscriptState, number>>;
}

/** The object that the video route serves: the remux once it is recorded, the original upload until then. */
export const currentVideo = (submission: Submission): StoredObject | undefined => submission.video ?? submission.source;
