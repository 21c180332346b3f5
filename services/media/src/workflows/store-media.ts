import type { Objects } from '@recording-request/kit-objects/objects';
import type { MediaProcessed } from '@recording-request/proto/events/v1/events';
import type { MediaJob } from '@recording-request/proto/work/v1/work';
import { videoPath } from '../adapters/clip-files.ts';
import { uploadFile } from '../adapters/object-transfer.ts';
import { MIME_TYPE } from '../domain/container.ts';
import { mediaKeys } from '../domain/object-keys.ts';
import { allOrAbort } from './all-or-abort.ts';
import type { BegunMedia, MadeMedia } from './make-media.ts';

/**
 * Stores the media of a clip. Sends the video while `finish` compares it and makes the missing parts, but completes the
 * object only after `finish`. So a video that differs from its upload never replaces another run's video, and never has
 * to be removed. Rejects with the failure of `finish`, an OutageError, or the signal's reason.
 */
export async function storeMedia(
  { clip, hasVideo }: BegunMedia,
  { projectId, submissionId }: Pick<MediaJob, 'projectId' | 'submissionId'>,
  options: { objects: Objects; signal: AbortSignal; finish: (signal: AbortSignal) => Promise<MadeMedia> },
): Promise<MediaProcessed> {
  const { objects, signal, finish } = options;
  const keys = mediaKeys(projectId, submissionId);
  const { container } = clip.plan;
  const mayBeStored = Promise.withResolvers<void>();
  const unwanted = new AbortController();
  const put = (key: string, path: string, mimeType: string) => (one: AbortSignal) =>
    uploadFile(objects, { key, path, mimeType, mayBeStored: mayBeStored.promise }, one);
  const putVideo = async (one: AbortSignal) => {
    if (!hasVideo) return undefined;
    const sending = put(keys.video(container), videoPath(clip), MIME_TYPE[container]);
    return await sending(AbortSignal.any([one, unwanted.signal])).catch(error => {
      if (unwanted.signal.aborted && !one.aborted) return undefined;
      throw error;
    });
  };
  const [video, beside] = await allOrAbort(signal, [
    putVideo,
    async one => {
      const made = await finish(one);
      if (!made.isEqual) unwanted.abort(new Error('the video is not equal to the upload'));
      mayBeStored.resolve();
      const { audio: sound, inspection, problem } = made;
      const [audio, ...thumbnails] = await allOrAbort(one, [
        sound === undefined ? async () => undefined : put(keys.audio, sound, 'audio/mp4'),
        ...made.thumbnails.map(({ name, path }) => put(keys.thumbnail(name), path, 'image/jpeg')),
      ]);
      return { audio, thumbnails, inspection, problem };
    },
  ]);
  return { projectId, submissionId, video, ...beside };
}
