export type TranscriptState = 'none' | 'disabled' | 'pending' | 'processing' | 'completed' | 'failed';

/** An object in the store, with the size and checksums that were measured when it was written. */
export interface StoredObject {
  key: string;
  size: number;
  mimeType: string;
  sha256: string;
  crc32: number;
}

/** One of several objects that contain a clip's bytes, in order. */
export interface StoredPart {
  key: string;
  /** In bytes. */
  size: number;
}

/** A clip's bytes as uploaded. */
export interface Source extends StoredObject {
  /**
   * The upload to which the parts belong. The `key` is the common prefix of the parts. Absent when the bytes are one
   * object.
   */
  uploadId?: string | undefined;
  /** Lists do not load the parts. */
  parts?: StoredPart[] | undefined;
}

/** Returns the objects that contain the bytes, in order. */
export const partsOf = (object: Pick<Source, 'key' | 'size' | 'parts'>): StoredPart[] => object.parts ?? [object];

/** W3C trace context. */
export interface Trace {
  traceparent: string;
  tracestate: string;
}

export const JOB_KINDS = ['media', 'transcript'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Requested work that has no result. Its times are from the database's clock. */
export interface Job {
  kind: JobKind;
  /**
   * `running`: a worker has taken the job. `reported`: the worker has published the result, which is not recorded yet.
   */
  state: 'waiting' | 'running' | 'reported';
  /** When the work was requested. */
  since: Date;
  /**
   * No worker takes the job before this time: the end of a pause, of the holder's lease, or of the wait for the result.
   */
  dueAt: Date;
  /** How often the job was started, including attempts that an outage ended; absent before the first start. */
  runs?: number;
  /** How often the job was started, without the attempts that workers returned as uncounted. */
  attempts: number;
  /** The worker's run that holds the job. */
  holder?: string | undefined;
  /**
   * For the operator: how often workers returned the job because of a problem, the time of the first problem, and the
   * text of the last one.
   */
  givenBack: number;
  troubledAt?: Date | undefined;
  problem?: string | undefined;
  /** For media: the findings of the inspection when the clip landed. */
  inspection?: Inspection | undefined;
  /** The trace in which this job was requested. */
  trace?: Trace | undefined;
}

/** The fields of a link that its clips contain. */
export interface LinkDetails {
  /** 0 for the shared link; the unique links count from 1. */
  position: number;
}

/** A reviewer's note at a time of the clip. */
export interface TimedNote {
  id: string;
  atSec: number;
  text: string;
  createdAt: Date;
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
  /** The owner's rating, 1 to 5. */
  rating?: number | undefined;
  /** The owner's notes, by time. Lists and exports do not load them. */
  timedNotes?: TimedNote[] | undefined;
  transcriptStatus: TranscriptState;
  transcriptText: string | undefined;
  transcriptVtt: string | undefined;
  transcriptError: string | undefined;
  /** The number of transcript requests. The failure of an older request is ignored. */
  transcriptRequest: number;
  /** The language in the project's settings when the clip was recorded. */
  transcriptionLanguage?: string | undefined;
  /** The language that the transcription recognized. */
  language?: string | undefined;
  terms: { sha256: string; text: string; acceptedAt: Date } | undefined;
  mediaStatus: 'processing' | 'ready' | 'failed';
  /**
   * A sentence for the owner that names the parts that could not be made, even when the media is ready without them.
   */
  mediaError: string | undefined;
  /** The work that has no result; a clip has one job at a time. */
  job?: Job | undefined;
  /** The upload. It is kept until an equal video is stored and all media is made from it. */
  source: Source | undefined;
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  incomplete: boolean;
  /** True for a clip of a sandbox; absent for other clips. */
  sandbox?: boolean | undefined;
  /** How the contributor answered; absent when the client did not say. */
  answerMode?: string | undefined;
  /** True if the contributor signs; absent for other clips. */
  signed?: boolean | undefined;
  /** Hex, of the bytes as uploaded. */
  sha256: string;
  /** The trace in which the clip landed; undefined when there was none. */
  trace?: Trace | undefined;
}

/** The results of the media service's inspection of an upload. */
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

/** An event that is published together with the write that makes it true. */
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

/** A change of a submission: the fields to set, and the events that announce the change. */
export interface Change {
  set: Partial<Submission>;
  events: SubmissionEvent[];
  /** The cause, if this change records that the media or the transcript failed. */
  fault?: Fault | undefined;
}

/** `service`: the fault is in this service, or in a server that it needs. */
export type Fault = 'clip' | 'service';

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
  origins?: Origin[] | undefined;
}

/** All clips of a link, or of one response of the shared link. */
export interface Origin {
  linkId: string;
  responseId?: string | undefined;
}

/** The number of submissions of a project. */
export interface Counts {
  total: number;
  selected: number;
  byTranscript: Partial<Record<TranscriptState, number>>;
}

/** The object that the video route serves: the remux if it is recorded, otherwise the original upload. */
export const currentVideo = (submission: Pick<Submission, 'video' | 'source'>): Source | undefined =>
  submission.video ?? submission.source;
