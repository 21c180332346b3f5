import { type Alert, PROMISE_WAIT, TICKET_WAIT } from '../alert.ts';
import { HOUR, MINUTE } from '../time.ts';

const waits = (name: string, step: string, seconds: number, what: string, description: string): Alert => ({
  name,
  about: 'promise',
  severity: 'page',
  // A histogram does not contain operations that never end.
  expr: () => `max by (recording_step) (recording_step_age_seconds{recording_step="${step}"}) > ${seconds}`,
  forSeconds: PROMISE_WAIT,
  labels: { recording_step: step },
  summary: `${what} for {{ $value | humanizeDuration }}`,
  description,
});

/** A page needs several owners, because an owner with many slow endpoints can delay its own events. */
function webhookWaits(severity: Alert['severity']): Alert {
  const alert = waits(
    'WebhookWaits',
    'webhook',
    5 * MINUTE,
    'A due event has not been sent',
    'Owners’ systems get no webhooks about clips. Events whose endpoint fails or is busy do not count.',
  );
  const several = '\nand on () max(recording_webhook_late) > 1';
  return { ...alert, severity, expr: time => alert.expr(time) + (severity === 'page' ? several : '') };
}

/** Alerts about waiting clips. */
export const WAIT_ALERTS: readonly Alert[] = [
  waits(
    'LandingWaits',
    'landing',
    // A take of gigabytes needs a minute or two.
    3 * MINUTE,
    'A complete take has not landed',
    'The contributor still sees that the take is being finished, but there is no clip. Its bytes are kept.',
  ),
  waits(
    'MediaWaits',
    'media',
    15 * MINUTE,
    'A clip has had no thumbnails and audio',
    'Its owner can play the upload, but sees no picture of it.',
  ),
  waits(
    'TranscriptWaits',
    'transcript',
    30 * MINUTE,
    'A clip has had no transcript',
    'Its owner waits for the transcript, in exports too.',
  ),
  ...(['page', 'ticket'] as const).map(severity => webhookWaits(severity)),
  {
    name: 'ClipsStuck',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max by (recording_step) (recording_clips_stuck) > 0',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} clips have waited for {{ $labels.recording_step }} for more than ten minutes',
    description: 'They are retried automatically; if that does not help, an operator must act.',
  },
  {
    name: 'ClipsFailing',
    about: 'promise',
    severity: 'ticket',
    expr: time =>
      `sum by (recording_step) (increase(recording_clips_failed_total{recording_fault="service"}[${time.window(HOUR, 15)}])) > 0`,
    forSeconds: TICKET_WAIT,
    summary:
      '{{ $value | humanize }} clips have no {{ $labels.recording_step }} after the last attempt; the clips are not at fault',
    description: 'They are not retried until an operator or their owner requests it.',
  },
  {
    name: 'DeadLetters',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max(recording_dead_letters) > 0',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} events could not be handled and were set aside',
    description: 'The step of each event stays undone until the event is replayed.',
  },
  {
    name: 'OutboxGrowing',
    about: 'promise',
    severity: 'ticket',
    expr: () => 'max by (job) (recording_outbox_depth) > 1000',
    forSeconds: TICKET_WAIT,
    summary: '{{ $value }} clips of {{ $labels.job }} have unpublished events',
    description: 'Events are created faster than they are published: all steps after the landing are late.',
  },
];
