import { clipParts, downloadName } from '@recording-request/contract/download-name';
import { DomainError } from '@recording-request/kit/errors';
import { FlightCache } from '@recording-request/kit/flight-cache';
import {
  type GetMediaRequest,
  type GetMediaResponse,
  MediaKind,
  type MediaParts,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { extensionOf } from '../../domain/clips/media-types.ts';
import { partsFrom } from '../../domain/clips/parts.ts';
import { currentVideo, type Source, type StoredPart } from '../../domain/clips/submission.ts';
import type { SubmissionObjects } from '../../store/submissions.ts';
import { found } from './get-submission.ts';

const NAMES: Record<number, string> = {
  [MediaKind.MEDIA_KIND_VIDEO]: 'video',
  [MediaKind.MEDIA_KIND_AUDIO]: 'audio',
  [MediaKind.MEDIA_KIND_THUMBNAIL_START]: 'thumbnail-start',
  [MediaKind.MEDIA_KIND_THUMBNAIL_MIDDLE]: 'thumbnail-middle',
  [MediaKind.MEDIA_KIND_THUMBNAIL_END]: 'thumbnail-end',
};

// The age of a cached project name. One look-up serves all range requests of a video, and a new name still appears
// soon.
const NAME_MS = 5_000;
const NAME_DEADLINE_MS = 1_000;
const NAMES_MAX = 1_000;
// The maximum number of presigned addresses in one response. It is small, because each address costs a signature. A
// reader requests further parts in another call.
const PARTS_AT_ONCE = 32;

export const getMedia = ({
  config,
  submissions,
  objects,
  projects,
}: Pick<Context, 'config' | 'submissions' | 'objects' | 'projects'>) => {
  const names = new FlightCache<string>({ ttlMs: NAME_MS, maxEntries: NAMES_MAX });

  /**
   * Returns the name of the project; "" when it does not arrive in time, because the bytes matter more than their file
   * name.
   */
  async function projectNameOf({ ownerId, projectId }: GetMediaRequest): Promise<string> {
    const look = async () => {
      const call = { deadlineMs: NAME_DEADLINE_MS };
      return (await projects.getProject({ ownerId, projectId, nameOnly: true }, call)).projectName ?? '';
    };
    return await names.get(`${ownerId} ${projectId}`, look).catch(() => '');
  }

  return async (request: GetMediaRequest): Promise<GetMediaResponse> => {
    const [submission, projectName] = await Promise.all([
      submissions.findObjects(request.ownerId, request.projectId, request.submissionId).then(found),
      projectNameOf(request),
    ]);
    const object = objectOf(submission, request.kind);
    if (!object)
      throw new DomainError('not_found', `The submission's ${NAMES[request.kind] ?? 'media'} is not there yet.`);
    const seconds = Math.min(config.presignSeconds, request.urlSeconds ?? Infinity);
    const presign = (key: string) => objects.presignGet(key, seconds);
    return {
      url: object.parts ? '' : await presign(object.key),
      parts: object.parts && (await presignedParts(object.parts, request.offset ?? 0, presign)),
      size: object.size,
      mimeType: object.mimeType,
      etag: `"${object.sha256}"`,
      fileName: downloadName(
        [projectName, ...clipParts(namesOf(submission))],
        `${NAMES[request.kind]}.${extensionOf(object.mimeType)}`,
      ),
    };
  };
};

async function presignedParts(
  all: StoredPart[],
  from: number,
  presign: (key: string) => Promise<string>,
): Promise<MediaParts> {
  const { parts, offset } = partsFrom(all, from, PARTS_AT_ONCE);
  return { parts: await Promise.all(parts.map(async ({ key, size }) => ({ url: await presign(key), size }))), offset };
}

const namesOf = ({ link, createdAt, interview, questionIndex, questionText }: SubmissionObjects) => ({
  ...{ link, createdAt, questionText },
  questionIndex: interview ? questionIndex : undefined,
});

function objectOf(submission: SubmissionObjects, kind: MediaKind): Source | undefined {
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
