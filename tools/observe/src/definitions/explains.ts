// The alerts about work after a landing.
const AFTER = ['MediaBudgetBurns', 'MediaWaits', 'TranscriptBudgetBurns', 'TranscriptWaits'];
const TOLD = ['WebhookBudgetBurns', 'WebhookWaits'];
const LANDING = ['LandingBudgetBurns', 'LandingWaits'];
const PROMISES = [...LANDING, ...AFTER, ...TOLD, 'OwnerReadBudgetBurns', 'ClipsStuck'];

/**
 * The alerts that an alert silences while it fires, because it explains them: the engineer on call reads only the cause. No
 * explained alert may be a cause of the one that explains it.
 */
export const EXPLAINS: Readonly<Record<string, readonly string[]>> = {
  // Without the collector, no other alert is reliable.
  CollectorAway: ['ServiceAway', 'TelemetryDropped'],
  DatabaseWithoutPrimary: [
    ...[
      'EventsNotPublished',
      'OutboxGrowing',
      'DeadLetters',
      'ServiceAway',
      'ConsumerStuck',
      'InstanceSlow',
      'EventLoopLate',
    ],
    ...PROMISES,
  ],
  ServiceAway: ['ConsumerStuck', 'OutboxGrowing', ...PROMISES],
  ObjectStoreSlow: ['ConsumerStuck', 'InstanceSlow', ...PROMISES],
  EventsNotPublished: [
    'ConsumerStuck',
    'InstanceSlow',
    'OutboxGrowing',
    'DeadLetters',
    'ClipsStuck',
    ...AFTER,
    ...TOLD,
  ],
  SpeechFailing: ['ConsumerStuck', 'ClipsStuck', 'TranscriptBudgetBurns', 'TranscriptWaits'],
  EndpointsFailing: ['WebhookBudgetBurns'],
  DiskFull: ['ConsumerStuck', 'ClipsStuck', ...AFTER],
  ConsumerStuck: ['ClipsStuck', ...AFTER, ...TOLD],
  FileDescriptorsRunningOut: ['InstanceSlow', ...PROMISES],
  InstanceSlow: ['EventLoopLate', ...PROMISES],
  MemoryNearLimit: ['EventLoopLate'],
  // A time between two stamps is off by the same amount.
  ClockSkewed: ['ClipsStuck', ...AFTER, ...TOLD],
  // A broken promise wakes an engineer only once.
  LandingBudgetBurns: ['LandingWaits'],
  MediaBudgetBurns: ['MediaWaits'],
  TranscriptBudgetBurns: ['TranscriptWaits'],
  WebhookBudgetBurns: ['WebhookWaits'],
};
