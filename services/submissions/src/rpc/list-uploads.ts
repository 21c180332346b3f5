import {
  type ListUploadsRequest,
  type ListUploadsResponse,
  UploadState,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Upload } from '../domain/upload.ts';
import type { UploadStore } from '../store/uploads.ts';

const STATES: Record<Upload['state'], UploadState> = {
  uploading: UploadState.UPLOAD_STATE_UPLOADING,
  finishing: UploadState.UPLOAD_STATE_FINISHING,
  landed: UploadState.UPLOAD_STATE_LANDED,
  refused: UploadState.UPLOAD_STATE_REFUSED,
  deleted: UploadState.UPLOAD_STATE_UNSPECIFIED,
};

export const listUploads =
  (uploads: UploadStore) =>
  async ({ linkId, responseSessionId }: ListUploadsRequest): Promise<ListUploadsResponse> => ({
    uploads: (await uploads.ofResponse(linkId, responseSessionId)).map(upload => ({
      uploadId: upload.id,
      questionIndex: upload.questionIndex,
      state: STATES[upload.state],
      incomplete: upload.incomplete,
      error: upload.error,
    })),
  });
