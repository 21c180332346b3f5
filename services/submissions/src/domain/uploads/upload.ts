import { DomainError } from '@recording-request/kit/errors';
import type { Trace } from '../clips/submission.ts';

/**
 * The reason for a refusal. `answered`: another clip is already the answer. `failed`: the upload could not land; its
 * bytes are kept for the operator until its hold ends.
 */
export type RefusalReason = 'not_video' | 'too_long' | 'answered' | 'failed';

export type UploadState = 'uploading' | 'finishing' | 'landed' | 'refused' | 'deleted';

/** Acknowledged bytes, stored as one immutable object. */
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

/** A take: a video that is being uploaded or was uploaded. */
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
  /** How the contributor answers; absent when the client did not say. */
  answerMode?: string | undefined;
  /** True if the contributor signs. */
  signed?: boolean | undefined;
  /** True if transcription was on when the upload was created. */
  transcription: boolean;
  /** The language in the project's settings when the upload was created. */
  transcriptionLanguage?: string | undefined;
  /**
   * The length in bytes that the client declared; undefined before that. A take with a declared length counts as sent.
   */
  length: number | undefined;
  offset: number;
  /** Present only when the query loaded them. */
  parts?: Part[];
  /** True if some parts of the upload are in pages outside its document. */
  isPaged?: boolean | undefined;
  createdAt: Date;
  lastByteAt: Date;
  renewedAt: Date | undefined;
  /** Present from the state `finishing` on, like `finishingAt`. */
  submissionId: string | undefined;
  finishingAt: Date | undefined;
  /** The trace of the request that sent the last byte; undefined when there was none. */
  trace?: Trace | undefined;
  sha256: string | undefined;
  /** A checksum of the whole upload; stored together with its SHA-256. */
  crc32?: number | undefined;
  /** True if the upload's first bytes cannot begin a video. */
  isNoVideo?: boolean | undefined;
  /** The media type that the upload's first bytes show; undefined when they show none. */
  mimeType?: string | undefined;
  incomplete: boolean;
  /** The sentence for the contributor about the refusal. */
  error: string | undefined;
  refusal: RefusalReason | undefined;
  /** True if the upload was refused because another clip is already the answer. */
  superseded: boolean;
  /** True if the upload was erased. The sweeper must still purge its prefix in the object store. */
  emptied?: boolean;
  /**
   * In this order: the number of failed landings, the number of these without an outage, the last problem, and the time
   * of the next try.
   */
  failures?: number;
  faults?: number;
  problem?: string;
  nextTryAt?: Date;
}

/** An upload that is open or landing. */
export type UploadUnderWay = Pick<Upload, 'state' | 'questionIndex'> & { slot: number };

/** Returns the questions whose upload is landing. */
export const questionsOf = (underWay: UploadUnderWay[]): number[] => [
  ...new Set(underWay.filter(({ state }) => state === 'finishing').map(({ questionIndex }) => questionIndex)),
];

/** Returns the contract's error code for a refused upload; undefined when the HTTP status is enough. */
export function refusalWord({ superseded, refusal }: Pick<Upload, 'superseded' | 'refusal'>): string | undefined {
  if (superseded || refusal === 'answered') return 'answer_sent';
  return refusal === 'failed' ? undefined : refusal;
}

/** Returns whether the upload failed without a fault in its bytes, so that the operator can retry it. */
export const uploadHasFailed = ({ state, refusal }: Pick<Upload, 'state' | 'refusal'>): boolean =>
  state === 'refused' && refusal === 'failed';

export const noSuchUpload = () => new DomainError('not_found', 'There is no such upload.');

/** The link, project and owner of an upload, which the gateway found by the recording link. */
export interface Caller {
  linkId: string;
  projectId: string;
  ownerId: string;
}
