/** The topic to which each type of event is published. */
const TOPIC_OF = {
  'submission.completed': 'submissions.events',
  'submission.transcript.completed': 'submissions.events',
  'submission.transcript.failed': 'submissions.events',
  'submission.erased': 'submissions.events',
  'submission.media.requested': 'media.work',
  'submission.transcript.requested': 'transcription.work',
  // For owners alone.
  'submission.media.completed': 'webhooks.events',
  'submission.media.failed': 'webhooks.events',
  'submission.erasure': 'webhooks.events',
  'response.completed': 'webhooks.events',
  'media.processed': 'media.events',
  'media.failed': 'media.events',
  'transcript.completed': 'transcription.events',
  'transcript.failed': 'transcription.events',
} as const;

export type EventType = keyof typeof TOPIC_OF;

/**
 * The versions of events that have more than one. It is raised with a field that a consumer must not overlook: an older one then
 * sets the event aside, until one that knows the field is there. A field that may be overlooked needs none.
 */
const VERSIONS: Readonly<Partial<Record<string, number>>> = {};

/** Returns the version in which events of this type are made and understood here. */
export const versionOf = (type: string): number => VERSIONS[type] ?? 1;

/** The dead letter topic: it keeps the records that no consumer can handle. */
export const DEAD_LETTER_TOPIC = 'parked';

export type TopicName = (typeof TOPIC_OF)[EventType] | typeof DEAD_LETTER_TOPIC;

export const TOPICS: readonly TopicName[] = [...new Set<TopicName>(Object.values(TOPIC_OF)), DEAD_LETTER_TOPIC];

/** Who reads what: each topic with a group of its consumers. */
export const CONSUMERS: readonly (readonly [topic: TopicName, group: string])[] = [
  ['media.work', 'media'],
  ['transcription.work', 'transcription'],
  ['media.events', 'submissions'],
  ['transcription.events', 'submissions-transcripts'],
  ['submissions.events', 'webhooks'],
  ['webhooks.events', 'webhooks-events'],
  [DEAD_LETTER_TOPIC, 'submissions-dead-letters'],
];

const CONSUMED = CONSUMERS.map(([topic]) => topic);

/** The service whose consumers are this group. */
export const serviceOfGroup = (group: string): string => group.split('-')[0]!;

/** What each service publishes: a consumer may set a record aside, and submissions sends those again to where they came from. */
export const PRODUCED: Readonly<Record<string, readonly TopicName[]>> = {
  submissions: [
    ...new Set<TopicName>(['submissions.events', 'webhooks.events', 'media.work', 'transcription.work', ...CONSUMED]),
  ],
  media: ['media.events', DEAD_LETTER_TOPIC],
  transcription: ['transcription.events', DEAD_LETTER_TOPIC],
  webhooks: [DEAD_LETTER_TOPIC],
};

export const topicOf = (type: EventType): TopicName => TOPIC_OF[type];
