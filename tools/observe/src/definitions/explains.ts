// The alerts about work after a landing.
const AFTER = ['MediaBudgetBurns', 'MediaWaits', 'TranscriptBudgetBurns', 'TranscriptWaits'];
const TOLD = ['WebhookBudgetBurns', 'WebhookWaits'];
const LANDING = ['LandingBudgetBurns', 'LandingWaits'];
const PROMISES = [...LANDING, ...AFTER, ...TOLD, 'OwnerReadBudgetBurns', 'ClipsStuck'];

/**
 * The alerts that each alert explains, and therefore silences while it fires, so that the engineer on call reads only the
 * cause. An alert must not explain itself through others.
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
  // A wrong clock makes durations between two clocks wrong by the same amount.
  ClockSkewed: ['ClipsStuck', ...AFTER, ...TOLD],
  // A broken promise pages only once.
  LandingBudgetBurns: ['LandingWaits'],
  MediaBudgetBurns: ['MediaWaits'],
  TranscriptBudgetBurns: ['TranscriptWaits'],
  WebhookBudgetBurns: ['WebhookWaits'],
};
