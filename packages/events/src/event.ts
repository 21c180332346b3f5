import { uuidv7 } from '@recording-request/kit/ids';
import { runningTrace, type TraceContext } from '@recording-request/kit-telemetry/span';
import { Event } from '@recording-request/proto/events/v1/events';
import { type EventType, versionOf } from './topics.ts';

/** What an event lacks that a later version made. Stored: the version before says the same. */
const KNOWN_PAYLOAD = 'an id, or a payload that is known here';
/** The reason for which such an event is set aside. It is handled again, once a version that knows it runs. */
export const UNKNOWN_EVENT = `the event lacks ${KNOWN_PAYLOAD}`;

/** Returns an event that occurs now and carries the current trace context. Pass `id` to make a repetition recognisable. */
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

/** Returns the id of the submission an event is about. It is the key of the event's record, so that its events stay in order. */
export function submissionIdOf(event: Event): string {
  const value = event.payload?.value;
  if (!value) throw new Error(`an event of type ${event.type} has no payload`);
  return 'submission' in value
    ? (value.submission?.submissionId ?? '')
    : (value as { submissionId: string }).submissionId;
}

/** Returns the message of an event that has the ids of what it is about. */
export function subjectIn({ payload }: Pick<Event, 'payload'>): object {
  if (!payload) return {};
  return 'submission' in payload.value ? (payload.value.submission ?? {}) : payload.value;
}

/** Returns when the event occurred that these bytes are; undefined unless they are a whole event that this version knows. */
export function occurrenceOf(value: Buffer): Date | undefined {
  try {
    const event = Event.decode(value);
    return missingFrom(event) === undefined ? event.occurredAt : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the trace in which an event was made that may not be whole; undefined where the bytes are no event. */
export function traceOf(value: Buffer): TraceContext | undefined {
  try {
    const { traceparent, tracestate } = Event.decode(value);
    return { traceparent, tracestate };
  } catch {
    return undefined;
  }
}

/** Returns what encoded bytes say they are about, each "" where they do not: also for bytes that are no whole event. */
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

/** Returns what a decoded event lacks that no consumer can do without, or undefined when it is whole: protobuf requires no field. */
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
