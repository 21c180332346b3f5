import { type Attributes, trace } from '@opentelemetry/api';
import { isUuid } from '../ids.ts';

const NAMES = {
  projectId: 'recording.project.id',
  submissionId: 'recording.submission.id',
  uploadId: 'recording.upload.id',
} as const;

/** Returns the attributes by which spans about a clip, its upload or its project are found. What is no id of ours is left out: it may be a token. */
export function subjectAttributes(about: unknown): Attributes {
  if (typeof about !== 'object' || about === null) return {};
  const attributes: Attributes = {};
  for (const [field, name] of Object.entries(NAMES)) {
    const value = (about as Record<string, unknown>)[field];
    if (typeof value === 'string' && isUuid(value)) attributes[name] = value;
  }
  return attributes;
}

/** Gives the running span the ids that `about` has. */
export function noteSubject(about: unknown): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) span.setAttributes(subjectAttributes(about));
}
