// What comes after a landing.
const AFTER = ['MediaBudgetBurns', 'MediaWaits', 'TranscriptBudgetBurns', 'TranscriptWaits'];
const TOLD = ['WebhookBudgetBurns', 'WebhookWaits'];
const LANDING = ['LandingBudgetBurns', 'LandingWaits'];
const PROMISES = [...LANDING, ...AFTER, ...TOLD, 'OwnerReadBudgetBurns', 'ClipsStuck'];

/**
 * What an alert keeps quiet while it fires, because it explains it: who is woken reads of the cause alone. Nothing that
 * is explained is a cause of what explains it.
 */
export const EXPLAINS: Readonly<Record<string, readonly string[]>> = {
  // Nothing is known then.
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
  // A time between two stamps is wrong by as much.
  ClockSkewed: ['ClipsStuck', ...AFTER, ...TOLD],
  // A promise that breaks wakes somebody once.
  LandingBudgetBurns: ['LandingWaits'],
  MediaBudgetBurns: ['MediaWaits'],
  TranscriptBudgetBurns: ['TranscriptWaits'],
  WebhookBudgetBurns: ['WebhookWaits'],
};
