export type TranscriptState = 'none' | 'disabled' | 'pending' | 'processing' | 'completed' | 'failed';

/** An object in the store, with the size and checksums measured when it was written. */
export interface StoredObject {
  key: string;
  size: number;
  mimeType: string;
  sha256: string;
  crc32: number;
}

/** One of several objects that hold a clip's bytes, in order. */
export interface StoredPart {
  key: string;
  /** In bytes. */
  size: number;
}

/** A clip's bytes as uploaded. */
export interface Source extends StoredObject {
  /** The upload that the parts belong to; their common prefix is the `key`. Absent when the bytes are one object. */
  uploadId?: string | undefined;
  /** Not loaded by lists. */
  parts?: StoredPart[] | undefined;
}

/** Returns the objects that hold the bytes, in order. */
export const partsOf = (object: Pick<Source, 'key' | 'size' | 'parts'>): StoredPart[] => object.parts ?? [object];

/** W3C trace context. */
export interface Trace {
  traceparent: string;
  tracestate: string;
}

export const JOB_KINDS = ['media', 'transcript'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Requested work without a result. Times are from the database's clock. */
export interface Job {
  kind: JobKind;
  /** `running`: a worker has taken it. `reported`: the worker has published the result, and it is not recorded yet. */
  state: 'waiting' | 'running' | 'reported';
  /** The time of the request. */
  since: Date;
  /** No worker takes it before this time: the end of a pause, of the holder's lease, or of the wait for the result. */
  dueAt: Date;
  /** The number of starts, including attempts that an outage ended; absent before the first start. */
  runs?: number;
  /** The number of starts, without attempts that workers returned uncounted. */
  attempts: number;
  /** The worker's run that holds it. */
  holder?: string | undefined;
  /**
   * The number of times that workers returned it because of a problem, the time of the first problem, and the text of
   * the last one, for the operator.
   */
  givenBack: number;
  troubledAt?: Date | undefined;
  problem?: string | undefined;
  /** For media: the findings of the inspection when the clip landed. */
  inspection?: Inspection | undefined;
  /** The trace of the request for this job. */
  trace?: Trace | undefined;
}

/** The fields of a link that its clips carry. */
export interface LinkDetails {
  /** 0 for the shared link, 1 and up for the others. */
  position: number;
}

/** A clip that landed. */
export interface Submission {
  id: string;
  projectId: string;
  ownerId: string;
  linkId: string;
  link?: LinkDetails | undefined;
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
  /** The number of transcript requests. A failure of an older request is stale. */
  transcriptRequest: number;
  /** The language that the project's settings named when the clip was recorded. */
  transcriptionLanguage?: string | undefined;
  /** The language that the transcription recognized. */
  language?: string | undefined;
  terms: { sha256: string; text: string; acceptedAt: Date } | undefined;
  mediaStatus: 'processing' | 'ready' | 'failed';
  /** Names the parts that could not be made, even when the media is ready without them. */
  mediaError: string | undefined;
  /** The work without a result; a clip has one job at a time. */
  job?: Job | undefined;
  /** The upload, kept until an equal video is stored and all media is made from it. */
  source: Source | undefined;
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  incomplete: boolean;
  /** Hex, of the bytes as uploaded. */
  sha256: string;
  /** The trace of the landing; undefined when it was not traced. */
  trace?: Trace | undefined;
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
  startSec?: number | undefined;
  readApart?: boolean | undefined;
  tracks: Track[];
}

interface Track {
  stream: number;
  kind: string;
  codec: string;
  packets: number;
  bytes: number;
  startSec: number;
  endSec: number;
  descriptions: number;
  channels: number;
  looks: string[];
}

/** An event that is published with the write that makes it true. */
export type SubmissionEvent =
  | {
      type:
        | 'submission.completed'
        | 'submission.transcript.completed'
        | 'submission.transcript.failed'
        | 'submission.media.completed'
        | 'submission.media.failed';
      submission: Submission;
    }
  | {
      type: 'submission.media.requested' | 'submission.transcript.requested';
      submission: Pick<Submission, 'id' | 'projectId'>;
    }
  | { type: 'submission.erased'; projectId: string; submissionId: string }
  | { type: 'submission.erasure'; projectId: string; submissionId: string; erasedAt: Date }
  | {
      type: 'response.completed';
      /** The answer that completed the response. */
      submission: Pick<Submission, 'id' | 'projectId' | 'linkId' | 'responseId'>;
      submissionIds: string[];
    };

/** A change of a submission: the fields that it sets, and the events that announce it. */
export interface Change {
  set: Partial<Submission>;
  events: SubmissionEvent[];
}

/** The filters of a list of submissions. */
export interface Filter {
  selected?: boolean;
  transcriptStatus?: TranscriptState;
  /** Words that must all occur in the transcript, a note or the question. */
  words?: string[];
  linkId?: string;
  responseId?: string;
  mediaStatus?: Submission['mediaStatus'];
  createdAfter?: Date;
  createdBefore?: Date;
  changedAfter?: Date;
}

/** The number of submissions of a project. */
export interface Counts {
  total: number;
  selected: number;
  byTranscript: Partial<Record<TranscriptState, number>>;
}

/** The object that the video route serves: the remux once it is recorded, the original upload until then. */
export const currentVideo = (submission: Pick<Submission, 'video' | 'source'>): Source | undefined =>
  submission.video ?? submission.source;
