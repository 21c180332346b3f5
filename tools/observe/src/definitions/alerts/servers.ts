import { type Alert, KEEP_FIRING, LEAST_KEEP_FIRING, PROMISE_WAIT, SERVER_WAIT, upTo } from '../alert.ts';
import { MINUTE, type Time } from '../time.ts';

const REQUESTS = 'http_client_request_duration_seconds';

/** The minimum of RECENT after the division by a factor. */
const LEAST_RECENT = 5;

/** Returns the share of requests to a peer that `bad` selects; nothing for fewer than `least` requests. */
function share(peer: string, bad: string, window: string, least: number): string {
  const all = `sum(rate(${REQUESTS}_count{recording_peer="${peer}"}[${window}]))`;
  return `${bad} / ${all} and ${bad.replaceAll('rate(', 'increase(')} >= ${least}`;
}

const failing = (peer: string, errors: string, window: string) =>
  `sum(rate(${REQUESTS}_count{recording_peer="${peer}", error_type${errors}}[${window}]))`;

/**
 * The window (seconds) of the pages about servers. It is long enough to show a fault, and short enough that the page
 * ends soon after the fault.
 */
const RECENT = 2 * MINUTE;

/**
 * Returns a condition on the age of the oldest unanswered request to a peer, because durations do not show a server
 * that never responds.
 */
const unanswered = (peer: string, seconds: number, window: string) =>
  `max by (recording_peer) (max_over_time(recording_peer_age_seconds{recording_peer="${peer}"}[${window}])) > ${seconds}`;

function storeSlow(time: Time): string {
  const window = time.window(RECENT, LEAST_RECENT);
  const slow = `(sum(rate(${REQUESTS}_count{recording_peer="store"}[${window}])) - sum(rate(${REQUESTS}_bucket{recording_peer="store", ${upTo(1)}}[${window}])))`;
  const away = failing('store', '=~"5..|unreachable|timeout"', window);
  return [
    `(${share('store', slow, window, 3)}) > 0.2`,
    `(${share('store', away, window, 3)}) > 0.2`,
    // Uses the maximum in a window: a request ends after half a minute without a response, and then the age begins
    // again.
    unanswered('store', time.seconds(10, 10), time.window(30, LEAST_RECENT)),
  ].join('\nor ');
}

function databaseSlow(time: Time): string {
  const window = time.window(RECENT, LEAST_RECENT);
  // A getMore may wait for future events.
  const of = (more = '') => `{db_operation_name!="getMore"${more}}`;
  const commands = `sum by (job) (rate(db_client_operation_duration_seconds_count${of()}[${window}]))`;
  const quick = `sum by (job) (rate(db_client_operation_duration_seconds_bucket${of(`, ${upTo(0.5)}`)}[${window}]))`;
  const enough = `(${commands} - ${quick}) * ${time.seconds(RECENT, LEAST_RECENT)} >= 5`;
  return `(${commands} - ${quick}) / ${commands} > 0.2\nand ${enough}`;
}

function speechFailing(time: Time): string {
  const window = time.window(3 * MINUTE, 15);
  return [
    `(${share('speech', failing('speech', '!=""', window), window, 2)}) > 0.5`,
    unanswered('speech', time.seconds(2 * MINUTE, 30), time.window(30, LEAST_RECENT)),
  ].join('\nor ');
}

/** Alerts about external servers that the services need. */
export const SERVER_ALERTS: readonly Alert[] = [
  {
    name: 'DatabaseWithoutPrimary',
    about: 'server',
    severity: 'page',
    // Fires for a single process too: its callers fail if only this process has lost the primary. An election takes ten
    // to twelve seconds; the window contains two exports.
    expr: time => `min by (job) (max_over_time(recording_database_primary[${time.window(35, 3)}])) == 0`,
    forSeconds: SERVER_WAIT,
    summary: '{{ $labels.job }} has no MongoDB primary',
    description:
      'All writes fail: contributors get an error and retry, owners’ changes fail, and the processing of clips is paused.',
  },
  {
    name: 'DatabaseSlow',
    about: 'server',
    severity: 'page',
    expr: databaseSlow,
    forSeconds: SERVER_WAIT,
    summary: '{{ $value | humanizePercentage }} of the MongoDB commands of {{ $labels.job }} take over half a second',
    description: 'Requests of owners and contributors take seconds, and the processing of clips is late.',
  },
  {
    name: 'ObjectStoreSlow',
    about: 'server',
    severity: 'page',
    expr: storeSlow,
    forSeconds: SERVER_WAIT,
    summary: 'Requests to the object store fail, or take more than a second',
    description: 'Uploads are slow or refused, clips land late, and media and downloads wait.',
  },
  {
    name: 'EventsNotPublished',
    about: 'server',
    severity: 'page',
    expr: time => `max by (job) (recording_outbox_age_seconds) > ${time.seconds(MINUTE, 10)}`,
    forSeconds: SERVER_WAIT,
    // Consumers join their groups again up to 15 s after Kafka accepts events, and ConsumerStuck then keeps firing. A
    // factor does not shorten these 15 s.
    keepFiring: { seconds: KEEP_FIRING + 30, least: LEAST_KEEP_FIRING + 18 },
    summary: 'Events of {{ $labels.job }} have waited for Kafka for {{ $value | humanizeDuration }}',
    description: 'Clips land and are kept, but no later step runs: no thumbnails, no transcripts, no webhooks.',
  },
  {
    name: 'SpeechFailing',
    about: 'server',
    severity: 'page',
    expr: speechFailing,
    forSeconds: SERVER_WAIT,
    summary: 'Requests to the speech endpoint fail, or get no response',
    description: 'Clips have no transcripts; they follow when the endpoint recovers.',
  },
  {
    name: 'EndpointsFailing',
    about: 'server',
    severity: 'ticket',
    expr: () =>
      'sum(max by (recording_endpoint_state) (recording_webhook_endpoints{recording_endpoint_state=~"failing|paused"})) / sum(max by (recording_endpoint_state) (recording_webhook_endpoints)) > 0.2',
    forSeconds: PROMISE_WAIT,
    summary: '{{ $value | humanizePercentage }} of the owners’ endpoints accept no events',
    description:
      'Their owners get no webhooks about clips; events are kept and retried. One failing endpoint is its owner’s problem; many are probably ours.',
  },
  {
    name: 'EndpointFailing',
    about: 'server',
    severity: 'ticket',
    expr: time => `max by (recording_project_id) (recording_webhook_failing_seconds) > ${time.seconds(15 * MINUTE)}`,
    forSeconds: SERVER_WAIT,
    summary:
      'The endpoint of project {{ $labels.recording_project_id }} has failed for {{ $value | humanizeDuration }}',
    description: 'Its owner gets no webhooks of this project and sees a notice; events are kept and retried.',
  },
];
