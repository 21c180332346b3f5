import type { ThumbnailName } from './plan.ts';

const folder = (projectId: string, submissionId: string) => `submissions/${projectId}/${submissionId}/`;

/** Returns the prefix of the keys of a submission's stored videos. The keys differ by container. */
export const videoPrefix = (projectId: string, submissionId: string) => `${folder(projectId, submissionId)}video.`;

/**
 * Returns the keys of a submission's media. The keys depend only on the submission's ids, so a repeated job overwrites
 * its own objects.
 */
export function mediaKeys(projectId: string, submissionId: string) {
  const prefix = folder(projectId, submissionId);
  return {
    video: (extension: string) => `${prefix}video.${extension}`,
    audio: `${prefix}audio.m4a`,
    thumbnail: (name: ThumbnailName) => `${prefix}thumbnail-${name}.jpg`,
  };
}
