import { type Attributes, trace } from '@opentelemetry/api';
import { isUuid } from '../ids.ts';

const NAMES = {
  projectId: 'recording.project.id',
  submissionId: 'recording.submission.id',
  uploadId: 'recording.upload.id',
} as const;

/** Returns the ids of the clip, its upload and its project that `about` has, as log lines name them. */
export function idsOf(about: unknown): Partial<Record<keyof typeof NAMES, string>> {
  if (typeof about !== 'object' || about === null) return {};
  const ids = Object.keys(NAMES).map(field => [field, (about as Record<string, unknown>)[field]] as const);
  return Object.fromEntries(ids.filter(([, value]) => typeof value === 'string' && isUuid(value)));
}

/** Returns the attributes by which spans about a clip, its upload or its project are found. What is no id of ours is left out: it may be a token. */
export function subjectAttributes(about: unknown): Attributes {
  return Object.fromEntries(
    Object.entries(idsOf(about)).map(([field, id]) => [NAMES[field as keyof typeof NAMES], id]),
  );
}

/** Gives the running span the ids that `about` has. */
export function noteSubject(about: unknown): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) span.setAttributes(subjectAttributes(about));
}
