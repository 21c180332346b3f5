import { by, type Dashboard, lines, orZeroOf, quantile, rateBy, rates, slotsInUse, usual } from './panel.ts';

const HTTP = 'http_server_request_duration_seconds';
const OWNER = 'job="gateway", http_route=~"/api/.*"';

/** The gateway and the owners' reads. */
export const GATEWAY: Dashboard = {
  name: 'gateway',
  title: 'Gateway and owners’ reads',
  description: 'Requests at the gateway by route, and their RPCs.',
  panels: [
    lines(
      'Owners’ reads: duration',
      's',
      usual(HTTP, `${OWNER}, http_request_method="GET"`),
      'The promise is a second, except for downloads.',
      { warn: 0.5, bad: 1, runbook: 'OwnerReadBudgetBurns' },
    ),
    lines(
      'Requests by route',
      'reqps',
      [{ expr: `topk(10, ${rateBy('http_route', `${HTTP}_count{job="gateway"}`)})`, legend: '{{http_route}}' }],
      'The ten most frequent routes.',
    ),
    lines(
      'HTTP responses by status',
      'reqps',
      rates('http_response_status_code', `${HTTP}_count{job="gateway"}`),
      '5xx are our errors.',
      { stacked: true },
    ),
    lines(
      'Errors',
      'reqps',
      orZeroOf(rates('http_route', `${HTTP}_count{job="gateway", http_response_status_code=~"5.."}`)),
      'HTTP responses with status 500 or higher.',
      { bad: 1, runbook: 'OwnerReadBudgetBurns' },
    ),
    lines(
      'Slowest routes, 95th percentile',
      's',
      [{ expr: `topk(10, ${quantile(0.95, HTTP, OWNER, 'http_route')})`, legend: '{{http_route}}' }],
      'Downloads take as long as the owner’s connection.',
    ),
    lines(
      'RPCs in progress',
      'none',
      [{ expr: `topk(10, ${rateBy('rpc_method', 'rpc_server_call_duration_seconds_sum')})`, legend: '{{rpc_method}}' }],
      'The mean number: the seconds of RPCs per second.',
    ),
    lines(
      'RPCs that failed',
      'reqps',
      orZeroOf(
        rates(
          'rpc_method, rpc_status_code',
          'rpc_server_call_duration_seconds_count{rpc_status_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED"}',
        ),
      ),
      'Our errors only; invalid requests do not count.',
    ),
    lines(
      'Refused by a limit',
      'reqps',
      orZeroOf(rates('recording_reason', 'recording_requests_shed_total')),
      '429 and 503: `rate` limits one client, all others protect the process.',
    ),
    lines(
      'By spans, with traces',
      's',
      [
        {
          expr: `topk(5, ${quantile(0.95, 'traces_span_metrics_duration_seconds', 'service_name="gateway"', 'span_name')})`,
          legend: '{{span_name}}',
          exemplars: true,
        },
      ],
      'Dots or links are traces. Only a share of the reads is traced; the panels above count all.',
    ),
    lines(
      'Processes: duration of requests',
      's',
      [{ expr: 'recording:instance_seconds:mean2m', legend: '{{job}} {{instance}} {{of}}' }],
      'The mean of each process.',
      { warn: 0.25, runbook: 'InstanceSlow' },
    ),
  ],
};

/** Uploads, and the step from a whole upload to a clip. */
export const LANDING: Dashboard = {
  name: 'landing',
  title: 'Uploads and landing',
  description: 'From the contributor’s first byte to the clip.',
  panels: [
    lines('Landing: duration', 's', usual('recording_landing_duration_seconds'), 'The promise is 10 s.', {
      warn: 5,
      bad: 10,
      runbook: 'LandingBudgetBurns',
    }),
    lines(
      'Ended uploads',
      'ops',
      rates('recording_end', 'recording_uploads_landed_total'),
      '`retried` uploads are retried automatically.',
      { runbook: 'LandingWaits' },
    ),
    lines(
      'Contributors’ requests',
      'reqps',
      rates('http_request_method, http_route', `${HTTP}_count{job="gateway", http_route=~"/r/.*"}`),
      'Pages, responses and uploads.',
    ),
    lines(
      'Contributors’ errors',
      'reqps',
      orZeroOf(
        rates(
          'http_route, http_response_status_code',
          `${HTTP}_count{job="gateway", http_route=~"/r/.*", http_response_status_code=~"5.."}`,
        ),
      ),
      'A recorder retries; it keeps the take on the device.',
      { bad: 0.1, runbook: 'LandingBudgetBurns' },
    ),
    lines(
      'Uploads in progress',
      'none',
      by('max', 'recording_clip_state', 'recording_clips{recording_clip_state=~"uploading|finishing"}'),
      '`finishing` uploads have all their bytes.',
    ),
    lines(
      'The oldest complete take that has not landed',
      's',
      by('max', 'recording_step', 'recording_step_age_seconds{recording_step="landing"}'),
      'Pages from five minutes on.',
      { warn: 60, bad: 300, runbook: 'LandingWaits' },
    ),
    lines('Upload slots in use', 'percentunit', slotsInUse('upload'), 'At 1, further uploads get 503 and retry.', {
      warn: 0.8,
      bad: 1,
    }),
    lines(
      'Inspection of clips: ffprobe',
      's',
      usual('recording_ffmpeg_duration_seconds', 'process_executable_name="ffprobe"'),
      'A landing waits at most 20 s for it.',
    ),
  ],
};
