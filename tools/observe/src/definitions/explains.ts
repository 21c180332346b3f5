/**
 * The steps that do not work without each service. They are values of the label `recording_step` of the alerts about
 * promises.
 */
const STEPS_OF: Readonly<Record<string, readonly string[]>> = {
  gateway: ['landing', 'owner-reads'],
  projects: ['landing', 'webhook', 'owner-reads'],
  submissions: ['landing', 'media', 'transcript', 'webhook', 'owner-reads'],
  // A landing waits until media has checked the file, and a transcript needs the sound from media.
  media: ['landing', 'media', 'transcript'],
  transcription: ['transcript'],
  webhooks: ['webhook'],
};

/** The consumer groups that do not work without a service. */
const GROUPS_OF: Readonly<Record<string, string>> = {
  submissions: 'submissions.*|media|transcription',
  media: 'media',
  transcription: 'transcription',
  webhooks: 'webhooks.*',
};

/** The step of each consumer group. */
const STEP_OF_GROUP: Readonly<Record<string, string>> = {
  submissions: 'media',
  'submissions-transcripts': 'transcript',
  media: 'media',
  transcription: 'transcript',
  'webhooks.*': 'webhook',
};

/** The names of alerts, and more labels; each value is a regular expression. */
export interface Selection {
  alerts: readonly string[];
  labels?: Readonly<Record<string, string>>;
}

/**
 * While an alert of `cause` fires, the alerts of `effects` are silent, so that one fault sends one page. The alerts must have
 * the same values of the labels in `equal`.
 */
export interface Explanation {
  cause: Selection;
  effects: Selection;
  equal?: readonly string[];
}

/** Alerts with a label `job`: while one fires, the steps of that service do not work. */
const OF_A_SERVICE = [
  'DatabaseWithoutPrimary',
  'DatabaseSlow',
  'ServiceAway',
  'FileDescriptorsRunningOut',
  'InstanceSlow',
  'ProcessPaused',
  'DiskFull',
  'FfmpegStarved',
  'ProgramStalled',
  'ProgramsKilled',
];
const BURNS = '.+BudgetBurns';
const WAITS = '.+Waits';
const PROMISES = [BURNS, WAITS, 'ClipsStuck', 'ClipsFailing'];

/** Selects the alerts about the promises of these steps. */
const promises = (steps: readonly string[]): Selection => ({
  alerts: PROMISES,
  labels: { recording_step: steps.join('|') },
});
/** Selects the alert about consumers of these groups; the names of groups begin with the prefix of the installation. */
const stuck = (groups: string): Selection => ({
  alerts: ['ConsumerStuck'],
  labels: { messaging_consumer_group_name: `(.+[.])?(${groups})` },
});

/** The explanations. They must not form a cycle: no alert may explain itself through other alerts. */
export const EXPLAINS: readonly Explanation[] = [
  // Without the collector, no other alert is reliable.
  { cause: { alerts: ['CollectorAway'] }, effects: { alerts: ['ServiceAway', 'TelemetryDropped'] } },
  ...Object.entries(STEPS_OF).map(([job, steps]) => ({
    cause: { alerts: OF_A_SERVICE, labels: { job } },
    effects: promises(steps),
  })),
  ...Object.entries(GROUPS_OF).map(([job, groups]) => ({
    cause: { alerts: OF_A_SERVICE, labels: { job } },
    effects: stuck(groups),
  })),
  {
    cause: { alerts: ['DatabaseWithoutPrimary'] },
    effects: {
      alerts: ['ServiceAway', 'DatabaseSlow', 'EventsNotPublished', 'OutboxGrowing', 'InstanceSlow', 'EventLoopLate'],
    },
    equal: ['job'],
  },
  {
    cause: { alerts: ['DatabaseSlow'] },
    effects: { alerts: ['EventsNotPublished', 'OutboxGrowing', 'InstanceSlow'] },
    equal: ['job'],
  },
  {
    cause: { alerts: ['ServiceAway', 'EventsNotPublished'] },
    effects: { alerts: ['OutboxGrowing'] },
    equal: ['job'],
  },
  {
    cause: { alerts: ['FileDescriptorsRunningOut'] },
    effects: { alerts: ['InstanceSlow', 'EventLoopLate'] },
    equal: ['job', 'instance'],
  },
  // A slow process sends one page, no matter which of the two alerts fires first; their runbooks link to each other.
  { cause: { alerts: ['InstanceSlow'] }, effects: { alerts: ['ProcessPaused'] }, equal: ['job', 'instance'] },
  {
    cause: { alerts: ['InstanceSlow', 'ProcessPaused', 'MemoryNearLimit'] },
    effects: { alerts: ['EventLoopLate'] },
    equal: ['job', 'instance'],
  },
  { cause: { alerts: ['ObjectStoreSlow'] }, effects: promises(['landing', 'media', 'transcript']) },
  { cause: { alerts: ['ObjectStoreSlow'] }, effects: stuck('media|transcription') },
  {
    cause: { alerts: ['ObjectStoreSlow'] },
    effects: { alerts: ['InstanceSlow'], labels: { job: 'submissions|media|transcription' } },
  },
  { cause: { alerts: ['EventsNotPublished'] }, effects: promises(['media', 'transcript', 'webhook']) },
  // Without Kafka, no consumer gets events, and the calls that wait for an acknowledgement take long.
  { cause: { alerts: ['EventsNotPublished'] }, effects: { alerts: ['ConsumerStuck', 'InstanceSlow'] } },
  { cause: { alerts: ['SpeechFailing'] }, effects: promises(['transcript']) },
  { cause: { alerts: ['SpeechFailing'] }, effects: stuck('transcription') },
  ...Object.entries(STEP_OF_GROUP).map(([group, step]) => ({
    cause: stuck(group),
    effects: promises([step]),
  })),
  // A broken promise sends one page or one ticket, by its most urgent alert.
  {
    cause: { alerts: [BURNS], labels: { severity: 'page' } },
    effects: { alerts: [WAITS, 'ClipsStuck'] },
    equal: ['recording_step'],
  },
  { cause: { alerts: [WAITS] }, effects: { alerts: ['ClipsStuck'] }, equal: ['recording_step'] },
  {
    cause: { alerts: [BURNS, WAITS], labels: { severity: 'page' } },
    effects: { alerts: [BURNS, WAITS], labels: { severity: 'ticket' } },
    equal: ['alertname', 'recording_step'],
  },
  {
    cause: { alerts: [BURNS], labels: { burn: '3' } },
    effects: { alerts: [BURNS], labels: { burn: '1' } },
    equal: ['alertname', 'recording_step'],
  },
];
