import type { TroubledUpload } from '@recording-request/proto/operator/v1/submissions';
import { type Upload, uploadHasFailed } from '../../domain/uploads/upload.ts';

export function toTroubledUpload(upload: Upload, holdSeconds: number): TroubledUpload {
  const { id, state, lastByteAt, nextTryAt } = upload;
  const hasFailed = uploadHasFailed(upload);
  return {
    uploadId: id,
    ownerId: upload.ownerId,
    projectId: upload.projectId,
    linkId: upload.linkId,
    responseSessionId: upload.responseId,
    submissionId: upload.submissionId ?? '',
    state: hasFailed ? 'failed' : state,
    bytes: upload.offset,
    lastByteAt,
    keptUntil: hasFailed ? new Date(lastByteAt.getTime() + holdSeconds * 1_000) : undefined,
    failures: upload.failures ?? 0,
    faults: upload.faults ?? 0,
    nextTryAt: state === 'finishing' ? nextTryAt : undefined,
    problem: upload.problem ?? '',
    error: upload.error ?? '',
  };
}
