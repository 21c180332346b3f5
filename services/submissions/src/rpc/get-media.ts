import { DomainError } from '@recording-request/kit/errors';
import {
  type GetMediaRequest,
  type GetMediaResponse,
  MediaKind,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../context.ts';
import { extensionOf } from '../domain/media-types.ts';
import { currentVideo, type StoredObject } from '../domain/submission.ts';
import type { SubmissionObjects } from '../store/submissions.ts';
import { found } from './get-submission.ts';

const NAMES: Record<number, string> = {
  [MediaKind.MEDIA_KIND_VIDEO]: 'video',
  [MediaKind.MEDIA_KIND_AUDIO]: 'audio',
  [MediaKind.MEDIA_KIND_THUMBNAIL_START]: 'thumbnail-start',
  [MediaKind.MEDIA_KIND_THUMBNAIL_MIDDLE]: 'thumbnail-middle',
  [MediaKind.MEDIA_KIND_THUMBNAIL_END]: 'thumbnail-end',
};

export const getMedia =
  ({ config, submissions, objects }: Pick<Context, 'config' | 'submissions' | 'objects'>) =>
  async (request: GetMediaRequest): Promise<GetMediaResponse> => {
    const submission = found(await submissions.findObjects(request.ownerId, request.projectId, request.submissionId));
    const object = objectOf(submission, request.kind);
    if (!object)
      throw new DomainError('not_found', `The submission's ${NAMES[request.kind] ?? 'media'} is not there yet.`);
    return {
      url: await objects.presignGet(object.key, Math.min(config.presignSeconds, request.urlSeconds ?? Infinity)),
      size: object.size,
      mimeType: object.mimeType,
      etag: `"${object.sha256}"`,
      fileName: `${submission.id}-${NAMES[request.kind]}.${extensionOf(object.mimeType)}`,
    };
  };

function objectOf(submission: SubmissionObjects, kind: MediaKind): StoredObject | undefined {
  switch (kind) {
    case MediaKind.MEDIA_KIND_VIDEO:
      return currentVideo(submission);
    case MediaKind.MEDIA_KIND_AUDIO:
      return submission.audio;
    case MediaKind.MEDIA_KIND_THUMBNAIL_START:
      return submission.thumbnails[0];
    case MediaKind.MEDIA_KIND_THUMBNAIL_MIDDLE:
      return submission.thumbnails[1];
    case MediaKind.MEDIA_KIND_THUMBNAIL_END:
      return submission.thumbnails[2];
    default:
      return undefined;
  }
}
