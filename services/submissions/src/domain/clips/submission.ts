export type TranscriptState = 'none' | 'disabled' | 'pending' | 'processing' | 'completed' | 'failed';

/** An object of the store, as it was measured when it was written. */
export interface StoredObject {
  key: string;
  size: number;
  mimeType: string;
  sha256: string;
  crc32: number;
}

/** One object of several that hold a clip's bytes, in their order. */
export interface StoredPart {
  key: string;
  /** In bytes. */
  size: number;
}

/** A clip's bytes as uploaded. */
export interface Source extends StoredObject {
  /** The upload whose parts these are. Their common prefix is the `key`. Absent where the bytes are one object. */
  uploadId?: string | undefined;
  /** Not loaded by lists. */
  parts?: StoredPart[] | undefined;
}

/** Returns the objects that hold the bytes, in their order. */
export const partsOf = (object: Pick<Source, 'key' | 'size' | 'parts'>): StoredPart[] => object.parts ?? [object];

/** W3C trace context. */
export interface Trace {
  traceparent: string;
  tracestate: string;
}

export const JOB_KINDS = ['media', 'transcript'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Work that was asked for and has no result yet. Times are those of the database's clock. */
export interface Job {
  kind: JobKind;
  /** `running`: a worker has begun it. `reported`: its result is on the way back. */
  state: 'waiting' | 'running' | 'reported';
  /** When it was asked for. */
  since: Date;
  /** Nobody takes it before: the end of a pause, of the lease of the worker that has it, or of the wait for its result. */
  dueAt: Date;
  /** How often it was begun, also in vain because of an outage; absent before the first time. */
  runs?: number;
  /** How often it was begun, without the attempts that were given back uncounted. */
  attempts: number;
  /** The run that has begun it. */
  holder?: string | undefined;
  /** How often a worker gave it back because of a problem, since when, and the last problem, for the operator. */
  givenBack: number;
  troubledAt?: Date | undefined;
  problem?: string | undefined;
  /** Of media: what was found in the bytes when the clip landed. */
  inspection?: Inspection | undefined;
  /** The trace of what asked for it. */
  trace?: Trace | undefined;
}

/** The parts of a link that its clips carry. */
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
  /** How often a transcript was asked for: a failure that answers an older request is stale. */
  transcriptRequest: number;
  /** The language that its project named when it was recorded. */
  transcriptionLanguage?: string | undefined;
  /** The language that was heard. */
  language?: string | undefined;
  terms: { sha256: string; text: string; acceptedAt: Date } | undefined;
  mediaStatus: 'processing' | 'ready' | 'failed';
  /** Names the parts that could not be made, also where the media is ready without them. */
  mediaError: string | undefined;
  /** The work that has no result yet; there is one job at a time. */
  job?: Job | undefined;
  /** The upload: until a video that is equal to it is stored, and everything was made of it. */
  source: Source | undefined;
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  incomplete: boolean;
  /** Hex, of the bytes as uploaded. */
  sha256: string;
  /** In which it landed; undefined where that was not traced. */
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

/** A fact that is published with the write that makes it true. */
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
      /** The answer that made it whole. */
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
  /** Words that all stand in what was said, noted or asked. */
  words?: string[];
  linkId?: string;
  responseId?: string;
  mediaStatus?: Submission['mediaStatus'];
  createdAfter?: Date;
  createdBefore?: Date;
  changedAfter?: Date;
}

/** How many submissions a project has. */
export interface Counts {
  total: number;
  selected: number;
  byTranscript: Partial<Record<TranscriptState, number>>;
}

/** The object that the video route serves: the remux once it is recorded, the original upload until then. */
export const currentVideo = (submission: Pick<Submission, 'video' | 'source'>): Source | undefined =>
  submission.video ?? submission.source;
