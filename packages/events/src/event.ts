import { uuidv7 } from '@recording-request/kit/ids';
import { runningTrace, type TraceContext } from '@recording-request/kit-telemetry/span';
import { Event, type OwnerEvent } from '@recording-request/proto/events/v1/events';
import { type EventType, versionOf } from './topics.ts';

/**
 * The end of the reason below. Keep this text: dead letters store it, and the previous version writes the same text.
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

/** The payloads of events about a project or a link, not about a submission. */
const OF_PROJECTS: readonly NonNullable<Event['payload']>['$case'][] = [
  'projectChanged',
  'linkRecording',
  'linkClosed',
  'linkReminderDue',
  'personErased',
  'projectErased',
];

/**
 * Returns the key of the event's record: the id of the submission, of the project, or, for an event of a feed, of the
 * owner. So events with the same subject stay in order.
 */
export function keyOf(event: Event): string {
  const { type, payload } = event;
  if (!payload) throw new Error(`an event of type ${type} has no payload`);
  if (payload.$case === 'ownerEvent') return payload.value.ownerId;
  const { projectId, submissionId } = idsIn(payload);
  return (OF_PROJECTS.includes(payload.$case) ? projectId : submissionId) ?? '';
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
    const { projectId = '', submissionId = '' } = idsIn(payload);
    return { type, projectId, submissionId };
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
  if (payload.$case === 'ownerEvent') return missingFromOwnerEvent(payload.value);
  const { projectId, submissionId } = idsIn(payload);
  if (OF_PROJECTS.includes(payload.$case)) return missingFromProjects(payload);
  if (!projectId || !submissionId) return 'the submission that it is about';
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

function missingFromProjects({ value }: NonNullable<Event['payload']>): string | undefined {
  const { projectId, ownerId, linkId = '-' } = value as { projectId: string; ownerId: string; linkId?: string };
  if (!projectId || !ownerId) return 'the project that it is about';
  return linkId === '' ? 'the link that it is about' : undefined;
}

const idsIn = ({ value }: NonNullable<Event['payload']>): Partial<SubmissionIds> =>
  'submission' in value ? (value.submission ?? {}) : (value as Partial<SubmissionIds>);

const missingFromOwnerEvent = ({ ownerId, projectId, createdAt }: OwnerEvent): string | undefined =>
  ownerId && projectId && createdAt ? undefined : 'its owner, its project or its time';

interface SubmissionIds {
  projectId: string;
  submissionId: string;
}
