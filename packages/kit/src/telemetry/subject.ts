import { type Attributes, type Span, trace } from '@opentelemetry/api';
import { isUuid } from '../ids.ts';

const NAMES = {
  projectId: 'recording.project.id',
  submissionId: 'recording.submission.id',
  uploadId: 'recording.upload.id',
} as const;
/** The attributes that a span takes over from the one that it is a part of. */
export const SUBJECT_ATTRIBUTES: readonly string[] = Object.values(NAMES);
// Of requests and answers: what they are about may stand one level below.
const PARTS = ['job', 'submission', 'response', 'project', 'upload'];
// As all services lay out the store.
const OBJECT_KEY = /^(?:submissions\/(?<projectId>[^/]+)\/(?<submissionId>[^/]*)|uploads\/(?<uploadId>[^/]+))(?:\/|$)/;

/** Returns the ids of the clip, its upload and its project that `about` has, as log lines name them. */
export function idsOf(about: unknown): Partial<Record<keyof typeof NAMES, string>> {
  if (typeof about !== 'object' || about === null) return {};
  const ids = Object.keys(NAMES).map(field => [field, (about as Record<string, unknown>)[field]] as const);
  return Object.fromEntries(ids.filter(([, value]) => typeof value === 'string' && isUuid(value)));
}

/** Returns the attributes by which spans about a clip, its upload or its project are found. What is no id of ours is left out: it may be a token. */
export function subjectAttributes(about: unknown): Attributes {
  if (typeof about !== 'object' || about === null) return {};
  const attributes: Attributes = {};
  for (const part of PARTS) Object.assign(attributes, idsIn((about as Record<string, unknown>)[part]));
  return Object.assign(attributes, idsIn(about));
}

const idsIn = (about: unknown): Attributes =>
  Object.fromEntries(Object.entries(idsOf(about)).map(([field, id]) => [NAMES[field as keyof typeof NAMES], id]));

/** Returns the ids that the key of an object has: a key itself is in no span. */
export const subjectOfKey = (key: string): object => ({ ...OBJECT_KEY.exec(key)?.groups });

/** Gives the running span the ids that `about` has; what begins within it from then on has them too. */
export function noteSubject(about: unknown): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) span.setAttributes(subjectAttributes(about));
  else if (span) (span as Noting)[ABOUT] ??= about;
}

// Of spans that are sent, if at all, when they have ended. A weak map of all that run would cost each collection of garbage.
const ABOUT = Symbol('recording-request.about');

type Noting = Span & { [ABOUT]?: unknown };

/** Returns the attributes of what `noteSubject` was told first in a span that is not recorded. */
export const notedSubject = (span: Span): Attributes => subjectAttributes((span as Noting)[ABOUT]);
