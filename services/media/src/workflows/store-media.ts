import type { Objects } from '@recording-request/kit/objects';
import type { MediaProcessed, MediaRequested } from '@recording-request/proto/events/v1/events';
import { type ClipFiles, videoPath } from '../adapters/clip-files.ts';
import { uploadFile } from '../adapters/object-transfer.ts';
import { EXTENSION, MIME_TYPE } from '../domain/container.ts';
import { mediaKeys } from '../domain/object-keys.ts';
import { allOrAbort } from './all-or-abort.ts';
import type { MadeMedia } from './make-media.ts';

/**
 * Stores the media of a clip. The video is sent while `finish` verifies it and makes what is missing, and becomes an object
 * only after that: one that fails neither takes the place of a video that another run has stored, nor has to be removed.
 * Rejects with the failure of `finish`, with an OutageError, or when the signal fires.
 */
export async function storeMedia(
  clip: ClipFiles,
  { projectId, submissionId }: Pick<MediaRequested, 'projectId' | 'submissionId'>,
  options: { objects: Objects; signal: AbortSignal; finish: (signal: AbortSignal) => Promise<MadeMedia> },
): Promise<MediaProcessed> {
  const { objects, signal, finish } = options;
  const keys = mediaKeys(projectId, submissionId);
  const { container } = clip.plan;
  const finished = Promise.withResolvers<void>();
  const put = (key: string, path: string, mimeType: string) => (one: AbortSignal) =>
    uploadFile(objects, { key, path, mimeType, mayBeStored: finished.promise }, one);
  const [video, beside] = await allOrAbort(signal, [
    put(keys.video(EXTENSION[container]), videoPath(clip), MIME_TYPE[container]),
    async one => {
      const made = await finish(one);
      finished.resolve();
      const { audio: sound, inspection } = made;
      const [audio, ...thumbnails] = await allOrAbort(one, [
        sound === undefined ? async () => undefined : put(keys.audio, sound, 'audio/mp4'),
        ...made.thumbnails.map(({ name, path }) => put(keys.thumbnail(name), path, 'image/jpeg')),
      ]);
      return { audio, thumbnails, inspection };
    },
  ]);
  return { projectId, submissionId, video, ...beside };
}
