import { type Alert, PROMISE_WAIT, TICKET_WAIT } from '../alert.ts';
import { MINUTE } from '../time.ts';

const waits = (name: string, step: string, seconds: number, what: string, description: string): Alert => ({
  name,
  about: 'promise',
  severity: 'page',
  // A histogram omits operations that never end.
  expr: () => `max by (recording_step) (recording_step_age_seconds{recording_step="${step}"}) > ${seconds}`,
  forSeconds: PROMISE_WAIT,
  summary: `${what} for {{ $value | humanizeDuration }}`,
  description,
});

/** Alerts about waiting clips. */
export const WAIT_ALERTS: readonly Alert[] = [
  waits(
    'LandingWaits',
    'landing',
    5 * MINUTE,
    'A take with all its bytes has not landed',
    'A contributor was told that it is being finished, and no clip is there. Its bytes are kept.',
  ),
  waits(
    'MediaWaits',
    'media',
    15 * MINUTE,
    'A clip has had no thumbnails and audio',
    'Its owner can play what was uploaded, and sees no picture of it.',
  ),
  waits(
    'TranscriptWaits',
    'transcript',
    30 * MINUTE,
    'A clip has had no transcript',
    'Its owner waits for words, also in exports.',
  ),
  waits(
    'WebhookWaits',
    'webhook',
    5 * MINUTE,
    'An event has been due and not sent',
    'An owner’s system is not told of a clip; that its endpoint refuses is not counted.',
  ),
  {
    name: 'ClipsStuck',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max by (recording_step) (recording_clips_stuck) > 0',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} clips have waited for {{ $labels.recording_step }} for more than ten minutes',
    description: 'They are tried again by themselves; where that does not help, somebody has to look.',
  },
  {
    name: 'DeadLetters',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max(recording_dead_letters) > 0',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} events could not be handled and were set aside',
    description: 'The step that each of them reports or asks for is not done until it is replayed.',
  },
  {
    name: 'OutboxGrowing',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max by (job) (recording_outbox_depth) > 1000',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} clips of {{ $labels.job }} have events that are not published',
    description: 'Events come faster than they are published: everything after the landing is late.',
  },
];
