import { DomainError } from '@recording-request/kit/errors';
import type { Trace } from '../clips/submission.ts';

/**
 * Why an upload was refused. `answered`: another clip is the answer already. `failed`: it could not land; its bytes are
 * kept for the operator until its hold ends.
 */
export type RefusalReason = 'not_video' | 'too_long' | 'answered' | 'failed';

export type UploadState = 'uploading' | 'finishing' | 'landed' | 'refused' | 'deleted';

/** Bytes that were acknowledged, as one immutable object. */
export interface Part {
  key: string;
  offset: number;
  size: number;
}

/** Of an upload's bytes. */
export interface Checksums {
  /** Hex. */
  sha256: string;
  crc32: number;
}

/** Names an upload: its project is the key of the shard that has it. */
export type UploadKey = Pick<Upload, 'id' | 'projectId'>;

/** Names a response: its project is the key of the shard that has it. */
export type ResponseKey = Pick<Upload, 'linkId' | 'responseId' | 'projectId'>;

/** A take on its way in. */
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
  /** Whether transcription was on when the upload was created. */
  transcription: boolean;
  /** The language that its project then named. */
  transcriptionLanguage?: string | undefined;
  /** Bytes, as the client declared; declaring it is sending. Undefined until then. */
  length: number | undefined;
  offset: number;
  /** Where they were read with it. */
  parts?: Part[];
  /** Whether it has so many parts that its document does not hold them all. */
  isPaged?: boolean | undefined;
  createdAt: Date;
  lastByteAt: Date;
  renewedAt: Date | undefined;
  /** These are set from `finishing` on. */
  submissionId: string | undefined;
  finishingAt: Date | undefined;
  /** Of the request that brought the last byte; undefined where that was not traced. */
  trace?: Trace | undefined;
  sha256: string | undefined;
  /** Of the whole, noted with its SHA-256. */
  crc32?: number | undefined;
  /** Whether its first bytes are those of no video. */
  isNoVideo?: boolean | undefined;
  /** The media type that its first bytes show; undefined where they do not tell. */
  mimeType?: string | undefined;
  incomplete: boolean;
  /** Why it was refused, for the contributor. */
  error: string | undefined;
  refusal: RefusalReason | undefined;
  /** Whether it was refused because another clip is the answer already. */
  superseded: boolean;
  /** Whether it was erased: only its prefix in the object store still matters. */
  emptied?: boolean;
  /** How often its landing failed, how often of those with nothing away, why last, and when it is tried again. */
  failures?: number;
  faults?: number;
  problem?: string;
  nextTryAt?: Date;
}

/** Returns the error code of the contract for an upload that was refused, undefined where its status says all. */
export function refusalWord({ superseded, refusal }: Pick<Upload, 'superseded' | 'refusal'>): string | undefined {
  if (superseded || refusal === 'answered') return 'answer_sent';
  return refusal === 'failed' ? undefined : refusal;
}

/** Whether it ended although nothing was wrong with it: the operator can have it tried again. */
export const uploadHasFailed = ({ state, refusal }: Pick<Upload, 'state' | 'refusal'>): boolean =>
  state === 'refused' && refusal === 'failed';

export const noSuchUpload = () => new DomainError('not_found', 'There is no such upload.');

/** Who an upload comes from, as the gateway found out by the recording link. */
export interface Caller {
  linkId: string;
  projectId: string;
  ownerId: string;
}
