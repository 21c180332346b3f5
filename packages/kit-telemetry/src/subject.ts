import { type Attributes, trace } from '@opentelemetry/api';
import { isUuid } from '@recording-request/kit/ids';
import { SUBJECT_KEY, SUBJECT_NAMES, SUBJECT_PARTS } from '@recording-request/telemetry-registry/subject-names';

/** The field names of the ids in log lines. */
export const SUBJECT_FIELDS = Object.keys(SUBJECT_NAMES) as (keyof typeof SUBJECT_NAMES)[];
/** The attributes that a span takes from its parent. */
export const SUBJECT_ATTRIBUTES: readonly string[] = Object.values(SUBJECT_NAMES);
/** The ids of the things that a request or a step is about, by their field names in log lines. */
export type SubjectIds = Partial<Record<keyof typeof SUBJECT_NAMES, string>>;

/** Returns the ids in `about` that name the clip, its upload and its project. */
export function idsOf(about: unknown): SubjectIds {
  const ids: SubjectIds = {};
  for (const field of SUBJECT_FIELDS) {
    const id = idIn(about, field);
    if (id) ids[field] = id;
  }
  return ids;
}

/**
 * Returns the span attributes for the ids in `about`. Omits every value that is not a UUID, because it may be a token.
 */
export function subjectAttributes(about: unknown): Attributes {
  const attributes: Attributes = {};
  if (typeof about !== 'object' || about === null) return attributes;
  for (const part of SUBJECT_PARTS) addIds(attributes, (about as Record<string, unknown>)[part]);
  addIds(attributes, about);
  return attributes;
}

function addIds(attributes: Attributes, about: unknown): void {
  if (about === undefined) return;
  for (const field of SUBJECT_FIELDS) {
    const id = idIn(about, field);
    if (id) attributes[SUBJECT_NAMES[field]] = id;
  }
}

function idIn(about: unknown, field: string): string | undefined {
  if (typeof about !== 'object' || about === null) return undefined;
  const value = (about as Record<string, unknown>)[field];
  return typeof value === 'string' && isUuid(value) ? value : undefined;
}

/** Returns the ids in the key of an object. No span contains a key itself. */
export const subjectOfKey = (key: string): object => ({ ...SUBJECT_KEY.exec(key)?.groups });

/** Adds the ids in `about` to the running span. Spans that start within this span later get the ids too. */
export function noteSubject(about: unknown): void {
  trace.getActiveSpan()?.setAttributes(subjectAttributes(about));
}
