import { DomainError } from '@recording-request/kit/errors';
import type { RetryUploadRequest, RetryUploadResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { noSuchUpload } from '../../domain/uploads/upload.ts';
import { toTroubledUpload } from './troubled-upload-message.ts';

/** Makes a failed upload due again. The sweeper lands it in its next turn. */
export const retryUpload =
  ({ config, uploads }: Pick<Context, 'config' | 'uploads'>) =>
  async ({ uploadId }: RetryUploadRequest): Promise<RetryUploadResponse> => {
    const known = await uploads.findAnywhere(uploadId);
    const isRetried = known && (await uploads.retry(known));
    const upload = known && (await uploads.find(known));
    if (!upload) throw noSuchUpload();
    if (!isRetried) throw new DomainError('gone', `This upload did not end as failed: it is ${upload.state}.`);
    return { upload: toTroubledUpload(upload, config.uploadHoldSeconds) };
  };
