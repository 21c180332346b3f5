import { type Context, context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Event } from '@recording-request/proto/events/v1/events';
import { uuidv7 } from './ids.ts';

/** Where each type of event is published. */
const TOPIC_OF = {
  'submission.completed': 'submissions.events',
  'submission.transcript.completed': 'submissions.events',
  'submission.transcript.failed': 'submissions.events',
  'submission.erased': 'submissions.events',
  'submission.media.requested': 'media.work',
  'submission.transcript.requested': 'transcription.work',
  'media.processed': 'media.events',
  'media.failed': 'media.events',
  'transcript.started': 'transcription.events',
  'transcript.completed': 'transcription.events',
  'transcript.failed': 'transcription.events',
} as const;

export type EventType = keyof typeof TOPIC_OF;
/** `parked` keeps the records that no consumer can make sense of. */
export type TopicName = (typeof TOPIC_OF)[EventType] | 'parked';

export const TOPICS: TopicName[] = [...new Set<TopicName>(Object.values(TOPIC_OF)), 'parked'];
export const topicOf = (type: EventType): TopicName => TOPIC_OF[type];

const SCHEMA_VERSION = 1;

/** An event of now that carries the trace of what is running. A given `id` makes a repetition recognisable. */
export function newEvent(type: EventType, payload: NonNullable<Event['payload']>, id: string = uuidv7()): Event {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return {
    id,
    type,
    schemaVersion: SCHEMA_VERSION,
    occurredAt: new Date(),
    traceparent: carrier.traceparent ?? '',
    tracestate: carrier.tracestate ?? '',
    payload,
  };
}

/** The trace context that an event was made in. */
export const contextOf = (event: Pick<Event, 'traceparent' | 'tracestate'>): Context =>
  propagation.extract(ROOT_CONTEXT, { traceparent: event.traceparent, tracestate: event.tracestate });

/** The submission that an event is about: the key of its record, so that its events stay in order. */
export function submissionIdOf(event: Event): string {
  const value = event.payload?.value;
  if (!value) throw new Error(`an event of type ${event.type} has no payload`);
  return 'submission' in value
    ? (value.submission?.submissionId ?? '')
    : (value as { submissionId: string }).submissionId;
}

/** What an event lacks that nobody can do without: protobuf requires nothing. Undefined where it is whole. */
export function lackOf(event: Event): string | undefined {
  const { id, payload } = event;
  if (id === '' || !payload) return 'an id, or a payload that is known here';
  const about = 'submission' in payload.value ? payload.value.submission : (payload.value as SubmissionIds);
  if (!about?.projectId || !about.submissionId) return 'the submission that it is about';
  switch (payload.$case) {
    case 'submissionCompleted':
    case 'submissionTranscript':
      return payload.value.submission?.createdAt ? undefined : 'the time of its submission';
    case 'mediaRequested':
      return payload.value.sourceKey === '' ? 'the object to be processed' : undefined;
    case 'transcriptRequested':
      return payload.value.audioKey === '' ? 'the object to be transcribed' : undefined;
    case 'mediaProcessed':
      return payload.value.video ? undefined : 'the video that was made';
    default:
      return undefined;
  }
}

interface SubmissionIds {
  projectId: string;
  submissionId: string;
}
