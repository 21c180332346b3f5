/** The topic of each type of event. */
const TOPIC_OF = {
  'submission.completed': 'submissions.events',
  'submission.transcript.completed': 'submissions.events',
  'submission.transcript.failed': 'submissions.events',
  'submission.erased': 'submissions.events',
  'project.erased': 'submissions.events',
  'submission.media.requested': 'media.work',
  'submission.transcript.requested': 'transcription.work',
  // Only owners' webhooks use these events.
  'submission.media.completed': 'webhooks.events',
  'submission.media.failed': 'webhooks.events',
  'submission.erasure': 'webhooks.events',
  'response.completed': 'webhooks.events',
  'project.created': 'projects.events',
  'project.updated': 'projects.events',
  'link.recording': 'projects.events',
  'link.closed': 'projects.events',
  'link.reminder_due': 'projects.events',
  'person.erased': 'projects.events',
  // Every event that an owner may see, in the order of the owner's feed. The key is the owner's id.
  'owner.event': 'owners.events',
  'media.processed': 'media.events',
  'media.failed': 'media.events',
  'transcript.completed': 'transcription.events',
  'transcript.failed': 'transcription.events',
} as const;

export type EventType = keyof typeof TOPIC_OF;

/**
 * The versions of event types that have more than one version. If a new field must not be ignored by consumers, raise
 * the version of its type: an older consumer then sets the event aside until a version that knows the field runs. An
 * optional field needs no new version.
 */
const VERSIONS: Readonly<Partial<Record<string, number>>> = {};

/** Returns the version of this type that this code produces and consumes. */
export const versionOf = (type: string): number => VERSIONS[type] ?? 1;

/** The dead letter topic: it has the records that no consumer can handle. */
export const DEAD_LETTER_TOPIC = 'parked';

export type TopicName = (typeof TOPIC_OF)[EventType] | typeof DEAD_LETTER_TOPIC;

export const TOPICS: readonly TopicName[] = [...new Set<TopicName>(Object.values(TOPIC_OF)), DEAD_LETTER_TOPIC];

/** The consumers, as pairs of a topic and a group that reads it. */
export const CONSUMERS: readonly (readonly [topic: TopicName, group: string])[] = [
  ['media.work', 'media'],
  ['transcription.work', 'transcription'],
  ['media.events', 'submissions'],
  ['transcription.events', 'submissions-transcripts'],
  ['submissions.events', 'webhooks'],
  ['webhooks.events', 'webhooks-events'],
  ['projects.events', 'webhooks-projects'],
  ['owners.events', 'webhooks-feed'],
  [DEAD_LETTER_TOPIC, 'submissions-dead-letters'],
];

const CONSUMED = CONSUMERS.map(([topic]) => topic);

/** Returns the service of a consumer group. */
export const serviceOfGroup = (group: string): string => group.split('-')[0]!;

/** The topics to which each service publishes. Submissions also replays dead letters to their original topics. */
export const PRODUCED: Readonly<Record<string, readonly TopicName[]>> = {
  projects: ['projects.events', DEAD_LETTER_TOPIC],
  submissions: [
    ...new Set<TopicName>(['submissions.events', 'webhooks.events', 'media.work', 'transcription.work', ...CONSUMED]),
  ],
  media: ['media.events', DEAD_LETTER_TOPIC],
  transcription: ['transcription.events', DEAD_LETTER_TOPIC],
  webhooks: ['owners.events', DEAD_LETTER_TOPIC],
};

export const topicOf = (type: EventType): TopicName => TOPIC_OF[type];
