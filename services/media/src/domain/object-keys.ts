import type { ThumbnailName } from './plan.ts';

const folder = (projectId: string, submissionId: string) => `submissions/${projectId}/${submissionId}/`;

/** What the key of every stored video of a submission begins with, whatever its container. */
export const videoPrefix = (projectId: string, submissionId: string) => `${folder(projectId, submissionId)}video.`;

/** Where a submission's media is stored: from its ids alone, so that doing it again writes over itself. */
export function mediaKeys(projectId: string, submissionId: string) {
  const prefix = folder(projectId, submissionId);
  return {
    video: (extension: string) => `${prefix}video.${extension}`,
    audio: `${prefix}audio.m4a`,
    thumbnail: (name: ThumbnailName) => `${prefix}thumbnail-${name}.jpg`,
  };
}
