import { DomainError } from '@recording-request/kit/errors';
import type { Trace } from '../clips/submission.ts';

/**
 * The reason of a refusal. `answered`: another clip is already the answer. `failed`: the upload could not land; its
 * bytes are kept for the operator until its hold ends.
 */
export type RefusalReason = 'not_video' | 'too_long' | 'answered' | 'failed';

export type UploadState = 'uploading' | 'finishing' | 'landed' | 'refused' | 'deleted';

/** Acknowledged bytes, as one immutable object. */
export interface Part {
  key: string;
  offset: number;
  size: number;
}

/** The checksums of an upload's bytes. */
export interface Checksums {
  /** Hex. */
  sha256: string;
  crc32: number;
}

/** Identifies an upload; `projectId` is the shard key. */
export type UploadKey = Pick<Upload, 'id' | 'projectId'>;

/** Identifies a response; `projectId` is the shard key. */
export type ResponseKey = Pick<Upload, 'linkId' | 'responseId' | 'projectId'>;

/** A take that is being uploaded or was uploaded. */
export interface Upload {
  id: string;
  state: UploadState;
  linkId: string;
  projectId: string;
  ownerId: string;
  responseId: string;
  /** 0 outside interviews. */
  questionIndex: number;
  note: string;
  /** True if transcription was on when the upload was created. */
  transcription: boolean;
  /** The language that the project's settings named when the upload was created. */
  transcriptionLanguage?: string | undefined;
  /** In bytes, as the client declared. A take with a declared length counts as sent. Undefined until then. */
  length: number | undefined;
  offset: number;
  /** Present only when they were loaded. */
  parts?: Part[];
  /** True if some of its parts are in pages outside its document. */
  isPaged?: boolean | undefined;
  createdAt: Date;
  lastByteAt: Date;
  renewedAt: Date | undefined;
  /** Set from `finishing` on, as is `finishingAt`. */
  submissionId: string | undefined;
  finishingAt: Date | undefined;
  /** The trace of the request that sent the last byte; undefined when it was not traced. */
  trace?: Trace | undefined;
  sha256: string | undefined;
  /** The checksum of the whole upload; stored with its SHA-256. */
  crc32?: number | undefined;
  /** True if its first bytes cannot begin a video. */
  isNoVideo?: boolean | undefined;
  /** The media type that its first bytes show; undefined when they show none. */
  mimeType?: string | undefined;
  incomplete: boolean;
  /** The reason of the refusal, for the contributor. */
  error: string | undefined;
  refusal: RefusalReason | undefined;
  /** True if it was refused because another clip is already the answer. */
  superseded: boolean;
  /** True if it was erased: the sweeper still has to purge its prefix in the object store. */
  emptied?: boolean;
  /**
   * The number of failed landings, the number of those without an outage, the last problem, and the time of the next
   * try.
   */
  failures?: number;
  faults?: number;
  problem?: string;
  nextTryAt?: Date;
}

/** An upload that is open or landing. */
export type UploadUnderWay = Pick<Upload, 'state' | 'questionIndex'> & { slot: number };

/** Returns the questions that have a landing upload. */
export const questionsOf = (underWay: UploadUnderWay[]): number[] => [
  ...new Set(underWay.filter(({ state }) => state === 'finishing').map(({ questionIndex }) => questionIndex)),
];

/** Returns the contract's error code for a refused upload, or undefined when the HTTP status is enough. */
export function refusalWord({ superseded, refusal }: Pick<Upload, 'superseded' | 'refusal'>): string | undefined {
  if (superseded || refusal === 'answered') return 'answer_sent';
  return refusal === 'failed' ? undefined : refusal;
}

/** Returns whether it failed through no fault of its bytes: the operator can retry it. */
export const uploadHasFailed = ({ state, refusal }: Pick<Upload, 'state' | 'refusal'>): boolean =>
  state === 'refused' && refusal === 'failed';

export const noSuchUpload = () => new DomainError('not_found', 'There is no such upload.');

/** The source of an upload, which the gateway found by the recording link. */
export interface Caller {
  linkId: string;
  projectId: string;
  ownerId: string;
}
