import { type Alert, KEPT, PROMISE_WAIT, SERVER_WAIT, upTo } from '../alert.ts';
import { MINUTE, type Time } from '../time.ts';

const REQUESTS = 'http_client_request_duration_seconds';

/** Returns the share of requests to a peer that `bad` selects; nothing for fewer than `least` requests. */
function share(peer: string, bad: string, window: string, least: number): string {
  const all = `sum(rate(${REQUESTS}_count{recording_peer="${peer}"}[${window}]))`;
  return `${bad} / ${all} and ${bad.replaceAll('rate(', 'increase(')} >= ${least}`;
}

const failing = (peer: string, errors: string, window: string) =>
  `sum(rate(${REQUESTS}_count{recording_peer="${peer}", error_type${errors}}[${window}]))`;

function storeSlow(time: Time): string {
  const window = time.window(5 * MINUTE);
  const slow = `(sum(rate(${REQUESTS}_count{recording_peer="store"}[${window}])) - sum(rate(${REQUESTS}_bucket{recording_peer="store", ${upTo(1)}}[${window}])))`;
  const away = failing('store', '=~"5..|unreachable|timeout"', window);
  return `(${share('store', slow, window, 3)}) > 0.2\nor (${share('store', away, window, 3)}) > 0.2`;
}

/** Alerts about external servers that the services need. */
export const SERVER_ALERTS: readonly Alert[] = [
  {
    name: 'DatabaseWithoutPrimary',
    about: 'server',
    severity: 'page',
    // A single process may have lost its connection to a primary that others reach; its callers still fail.
    expr: time => `min by (job) (max_over_time(recording_database_primary[${time.window(20, 3)}])) == 0`,
    forSeconds: SERVER_WAIT,
    keepSeconds: KEPT,
    summary: '{{ $labels.job }} has no MongoDB primary',
    description:
      'All writes fail: contributors get an error and retry, owners’ changes fail, and the processing of clips is paused.',
  },
  {
    name: 'ObjectStoreSlow',
    about: 'server',
    severity: 'page',
    expr: storeSlow,
    forSeconds: SERVER_WAIT,
    keepSeconds: KEPT,
    summary: '{{ $value | humanizePercentage }} of the requests to the object store fail or take more than a second',
    description: 'Uploads are slow or refused, clips land late, and media and downloads wait.',
  },
  {
    name: 'EventsNotPublished',
    about: 'server',
    severity: 'page',
    expr: time => `max by (job) (recording_outbox_age_seconds) > ${time.seconds(MINUTE, 10)}`,
    forSeconds: SERVER_WAIT,
    keepSeconds: KEPT,
    summary: 'Events of {{ $labels.job }} have waited for Kafka for {{ $value | humanizeDuration }}',
    description: 'Clips land and are kept, but no later step runs: no thumbnails, no transcripts, no webhooks.',
  },
  {
    name: 'SpeechFailing',
    about: 'server',
    severity: 'page',
    expr: time => {
      const window = time.window(15 * MINUTE);
      return `(${share('speech', failing('speech', '!=""', window), window, 2)}) > 0.5`;
    },
    forSeconds: SERVER_WAIT,
    keepSeconds: KEPT,
    summary: '{{ $value | humanizePercentage }} of the requests to the speech endpoint fail',
    description: 'Clips have no transcripts; they follow when the endpoint recovers.',
  },
  {
    name: 'EndpointsFailing',
    about: 'server',
    severity: 'ticket',
    expr: () =>
      'sum(max by (recording_endpoint_state) (recording_webhook_endpoints{recording_endpoint_state=~"failing|paused"})) / sum(max by (recording_endpoint_state) (recording_webhook_endpoints)) > 0.2',
    forSeconds: PROMISE_WAIT,
    keepSeconds: KEPT,
    summary: '{{ $value | humanizePercentage }} of the owners’ endpoints accept no events',
    description:
      'Their owners get no webhooks about clips; events are kept and retried. One failing endpoint is its owner’s problem; many are probably ours.',
  },
];
