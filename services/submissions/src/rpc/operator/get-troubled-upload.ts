import type {
  GetTroubledUploadRequest,
  GetTroubledUploadResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { noSuchUpload } from '../../domain/uploads/upload.ts';
import { toTroubledUpload } from './troubled-upload-message.ts';

export const getTroubledUpload =
  ({ config, uploads }: Pick<Context, 'config' | 'uploads'>) =>
  async ({ uploadId }: GetTroubledUploadRequest): Promise<GetTroubledUploadResponse> => {
    const upload = await uploads.findAnywhere(uploadId);
    if (!upload) throw noSuchUpload();
    return { upload: toTroubledUpload(upload, config.uploadHoldSeconds) };
  };
