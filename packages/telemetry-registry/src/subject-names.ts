/** The ids of a clip in spans and log records: for each, the field of a message or log line, and the attribute. */
export const SUBJECT_NAMES = {
  projectId: 'recording.project.id',
  submissionId: 'recording.submission.id',
  uploadId: 'recording.upload.id',
} as const;

// The ids may be one level deeper, in one of these fields of a request or reply.
export const SUBJECT_PARTS = ['job', 'submission', 'response', 'project', 'upload'];
// The object keys of all services.
export const SUBJECT_KEY =
  /^(?:submissions\/(?<projectId>[^/]+)\/(?<submissionId>[^/]*)|uploads\/(?<uploadId>[^/]+))(?:\/|$)/;
