import { uuidv7 } from '@recording-request/kit/ids';
import { runningTrace, type TraceContext } from '@recording-request/kit-telemetry/span';
import { Event } from '@recording-request/proto/events/v1/events';
import { type EventType, versionOf } from './topics.ts';

/**
 * The part that an event of a newer version lacks. Keep this text: it is stored, and the previous version writes the
 * same text.
 */
const KNOWN_PAYLOAD = 'an id, or a payload that is known here';
/** The reason for setting aside an event of a newer version. A version that knows the event handles it later. */
export const UNKNOWN_EVENT = `the event lacks ${KNOWN_PAYLOAD}`;

/** Returns an event with the current time and trace context. A given `id` lets consumers recognise a repetition. */
export function newEvent(type: EventType, payload: NonNullable<Event['payload']>, id: string = uuidv7()): Event {
  return {
    id,
    type,
    schemaVersion: versionOf(type),
    occurredAt: new Date(),
    ...runningTrace(),
    payload,
  };
}

/**
 * Returns the id of the event's submission. This id is the key of the event's record, so that a submission's events
 * stay in order.
 */
export function submissionIdOf(event: Event): string {
  const value = event.payload?.value;
  if (!value) throw new Error(`an event of type ${event.type} has no payload`);
  return 'submission' in value
    ? (value.submission?.submissionId ?? '')
    : (value as { submissionId: string }).submissionId;
}

/** Returns the message with the ids of the event's subject. */
export function subjectIn({ payload }: Pick<Event, 'payload'>): object {
  if (!payload) return {};
  return 'submission' in payload.value ? (payload.value.submission ?? {}) : payload.value;
}

/**
 * Returns the time at which an encoded event occurred; undefined unless the event is complete and known to this
 * version.
 */
export function occurrenceOf(value: Buffer): Date | undefined {
  try {
    const event = Event.decode(value);
    return missingFrom(event) === undefined ? event.occurredAt : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the trace of an encoded event, even an incomplete one; undefined when the bytes are not an event. */
export function traceOf(value: Buffer): TraceContext | undefined {
  try {
    const { traceparent, tracestate } = Event.decode(value);
    return { traceparent, tracestate };
  } catch {
    return undefined;
  }
}

/** Returns the type and the ids in an encoded event, even an incomplete one. A missing value is "". */
export function subjectOf(value: Buffer | null): { type: string } & SubmissionIds {
  const nothing = { type: '', projectId: '', submissionId: '' };
  if (!value) return nothing;
  try {
    const { type, payload } = Event.decode(value);
    if (!payload) return { ...nothing, type };
    const about = 'submission' in payload.value ? payload.value.submission : (payload.value as SubmissionIds);
    return { type, projectId: about?.projectId ?? '', submissionId: about?.submissionId ?? '' };
  } catch {
    return nothing;
  }
}

/**
 * Returns the missing required part of a decoded event, or undefined when the event is complete. This check is needed
 * because protobuf requires no field.
 */
export function missingFrom(event: Event): string | undefined {
  const { id, type, payload, schemaVersion } = event;
  if (id === '' || !payload || schemaVersion > versionOf(type)) return KNOWN_PAYLOAD;
  const about = 'submission' in payload.value ? payload.value.submission : (payload.value as SubmissionIds);
  if (!about?.projectId || !about.submissionId) return 'the submission that it is about';
  switch (payload.$case) {
    case 'submissionCompleted':
    case 'submissionTranscript':
    case 'submissionTranscriptByReference':
    case 'submissionMedia':
      return payload.value.submission?.createdAt ? undefined : 'the time of its submission';
    case 'submissionErasure':
      return payload.value.erasedAt ? undefined : 'the time of the erasure';
    case 'responseCompleted':
      return payload.value.submissionIds.length > 0 ? undefined : 'the submissions of the response';
    case 'transcriptStored':
      return payload.value.key === '' ? 'the object with the transcript' : undefined;
    case 'mediaProcessed':
      return payload.value.video || payload.value.problem ? undefined : 'the video that was made';
    default:
      return undefined;
  }
}

interface SubmissionIds {
  projectId: string;
  submissionId: string;
}
