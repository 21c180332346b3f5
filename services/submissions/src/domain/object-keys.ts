export const uploadPrefix = (uploadId: string): string => `uploads/${uploadId}/`;

/**
 * Returns the key of one part. `unique` is new for each stored part, so that no key is used twice. So two writers at
 * one offset can neither overwrite nor remove each other's part.
 */
export const partKey = (uploadId: string, offset: number, unique: string): string =>
  `${uploadPrefix(uploadId)}${String(offset).padStart(16, '0')}-${unique}`;

export const projectPrefix = (projectId: string): string => `submissions/${projectId}/`;

export const submissionPrefix = (projectId: string, submissionId: string): string =>
  `${projectPrefix(projectId)}${submissionId}/`;

/** Returns whether a key is the common prefix of an upload's parts, and not the key of one object. */
export const isPrefix = (key: string): boolean => key.endsWith('/');

/** The prefix of all archive objects of a project. */
export const archivesPrefix = (projectId: string): string => `exports/${projectId}/`;

export const archivePrefix = (projectId: string, archiveId: string): string =>
  `${archivesPrefix(projectId)}${archiveId}/`;

/**
 * The objects under a submission's prefix that may be multipart uploads: the original and the results of the media
 * worker.
 */
export const LARGE_OBJECTS = ['source', 'video.webm', 'video.mp4', 'video.mov', 'audio.m4a'] as const;

export const sourceKey = (projectId: string, submissionId: string): string =>
  `${submissionPrefix(projectId, submissionId)}source`;
