export const uploadPrefix = (uploadId: string): string => `uploads/${uploadId}/`;

/**
 * The key of one part. `unique` is new for each part that is stored, so that no key is used twice: whatever two writers do
 * at one offset, neither overwrites or removes what the other one stored.
 */
export const partKey = (uploadId: string, offset: number, unique: string): string =>
  `${uploadPrefix(uploadId)}${String(offset).padStart(16, '0')}-${unique}`;

export const projectPrefix = (projectId: string): string => `submissions/${projectId}/`;

export const submissionPrefix = (projectId: string, submissionId: string): string =>
  `${projectPrefix(projectId)}${submissionId}/`;

/** Whether a key names no object, but the parts of an upload by their prefix. */
export const isPrefix = (key: string): boolean => key.endsWith('/');

/** What the archives of a project keep in the store. */
export const archivesPrefix = (projectId: string): string => `exports/${projectId}/`;

export const archivePrefix = (projectId: string, archiveId: string): string =>
  `${archivesPrefix(projectId)}${archiveId}/`;

/** Objects under a submission's prefix that may be multipart uploads: the original, and what the media worker makes. */
export const LARGE_OBJECTS = ['source', 'video.webm', 'video.mp4', 'video.mov', 'audio.m4a'] as const;

export const sourceKey = (projectId: string, submissionId: string): string =>
  `${submissionPrefix(projectId, submissionId)}source`;
