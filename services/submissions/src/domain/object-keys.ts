export const uploadPrefix = (uploadId: string): string => `uploads/${uploadId}/`;

/** A key is used once: a writer that lost its lease must not change what another one stored at the same offset. */
export const partKey = (uploadId: string, offset: number, writerId: string): string =>
  `${uploadPrefix(uploadId)}${String(offset).padStart(16, '0')}-${writerId}`;

export const projectPrefix = (projectId: string): string => `submissions/${projectId}/`;

export const submissionPrefix = (projectId: string, submissionId: string): string =>
  `${projectPrefix(projectId)}${submissionId}/`;

/** Objects under a submission's prefix that may be multipart uploads: the original, and what the media worker makes. */
export const LARGE_OBJECTS = ['source', 'video.webm', 'video.mp4', 'video.mkv', 'audio.m4a'] as const;

export const sourceKey = (projectId: string, submissionId: string): string =>
  `${submissionPrefix(projectId, submissionId)}source`;
