import type { StoredObject, Submission } from '../src/domain/clips/submission.ts';
import { newJob } from '../src/domain/jobs/job.ts';

export const object = (key: string): StoredObject => ({
  key,
  size: 10,
  mimeType: 'video/webm',
  sha256: 'aa',
  crc32: 1,
});
export const now = new Date('2026-01-02T03:04:05Z');

/** Returns a submission in its state after the landing. */
export const landed = (fields: Partial<Submission> = {}): Submission => ({
  id: 's1',
  projectId: 'p1',
  ownerId: 'o1',
  linkId: 'l1',
  responseId: 'r1',
  interview: false,
  questionIndex: 0,
  questionText: undefined,
  createdAt: now,
  changedAt: now,
  durationSec: 12.4,
  note: undefined,
  reviewNote: undefined,
  selected: false,
  transcriptStatus: 'pending',
  transcriptText: undefined,
  transcriptVtt: undefined,
  transcriptError: undefined,
  transcriptRequest: 0,
  terms: undefined,
  mediaStatus: 'processing',
  mediaError: undefined,
  job: newJob('media', now),
  source: object('source'),
  video: undefined,
  audio: undefined,
  thumbnails: [],
  incomplete: false,
  sha256: 'bb',
  ...fields,
});
