import {
  type ListUploadsRequest,
  type ListUploadsResponse,
  UploadRefusal,
  UploadState,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import type { RefusalReason, Upload } from '../../domain/uploads/upload.ts';

const STATES: Record<Upload['state'], UploadState> = {
  uploading: UploadState.UPLOAD_STATE_UPLOADING,
  finishing: UploadState.UPLOAD_STATE_FINISHING,
  landed: UploadState.UPLOAD_STATE_LANDED,
  refused: UploadState.UPLOAD_STATE_REFUSED,
  deleted: UploadState.UPLOAD_STATE_UNSPECIFIED,
};

const REFUSALS: Record<RefusalReason, UploadRefusal> = {
  not_video: UploadRefusal.UPLOAD_REFUSAL_NOT_VIDEO,
  too_long: UploadRefusal.UPLOAD_REFUSAL_TOO_LONG,
  answered: UploadRefusal.UPLOAD_REFUSAL_ANSWERED,
  // Has no code of its own, because the error sentence is enough.
  failed: UploadRefusal.UPLOAD_REFUSAL_UNSPECIFIED,
};

export const listUploads =
  ({ uploads }: Pick<Context, 'uploads'>) =>
  async ({ linkId, projectId, responseSessionId: responseId }: ListUploadsRequest): Promise<ListUploadsResponse> => ({
    uploads: (await uploads.ofResponse({ linkId, projectId, responseId })).map(upload => ({
      uploadId: upload.id,
      questionIndex: upload.questionIndex,
      state: STATES[upload.state],
      incomplete: upload.incomplete,
      error: upload.error,
      refusal: upload.refusal ? REFUSALS[upload.refusal] : UploadRefusal.UPLOAD_REFUSAL_UNSPECIFIED,
    })),
  });
