import { by, type Dashboard, lines, orZero, orZeroOf, rateBy, rates, usual } from './panel.ts';

const COMMAND = 'db_client_operation_duration_seconds';
// A getMore may wait for future events.
const WITHOUT_WAITS = 'db_operation_name!="getMore"';
const OF = 'messaging_destination_name, messaging_consumer_group_name';
const OF_LEGEND = '{{messaging_consumer_group_name}}: {{messaging_destination_name}}';

/** Kafka, and the events that wait for it. */
export const EVENTS: Dashboard = {
  name: 'events',
  title: 'Kafka and outbox',
  description: 'Events from the outbox to their consumers.',
  panels: [
    lines(
      'The oldest unpublished event',
      's',
      by('max', 'job', 'recording_outbox_age_seconds'),
      'Pages from a minute on.',
      { warn: 10, bad: 60, runbook: 'EventsNotPublished' },
    ),
    lines(
      'Clips with unpublished events',
      'none',
      by('max', 'job', 'recording_outbox_depth'),
      '10,000 means 10,000 or more.',
      { warn: 1_000, runbook: 'OutboxGrowing' },
    ),
    lines(
      'The oldest ended sandbox',
      's',
      by('max', 'job', 'recording_sandboxes_age_seconds'),
      'Sandboxes are erased about a minute after their end, and at most a few hundred per minute.',
    ),
    lines(
      'Sends',
      'ops',
      rates('messaging_destination_name, recording_outcome', 'messaging_client_sent_messages_total'),
      '`failed` sends are retried.',
    ),
    lines('Send: duration', 's', usual('messaging_client_operation_duration_seconds'), 'Until Kafka acknowledges it.', {
      warn: 1,
    }),
    lines(
      'The oldest event of each group',
      's',
      [{ expr: `max by (${OF}) (recording_consumer_age_seconds)`, legend: OF_LEGEND }],
      'An event of a job counts until the job has ended.',
      { warn: 120, runbook: 'ConsumerStuck' },
    ),
    lines(
      'Waiting events of each group',
      'none',
      [{ expr: `max by (${OF}) (recording_consumer_lag)`, legend: OF_LEGEND }],
      'The lag.',
      { runbook: 'ConsumerStuck' },
    ),
    lines(
      'Consumers of each group',
      'none',
      [{ expr: `sum by (${OF}) (recording_consumer_members)`, legend: OF_LEGEND }],
      'Members seen within half a minute; a group with 0 is paused.',
      { runbook: 'ConsumerStuck' },
    ),
    lines(
      'Handled',
      'ops',
      rates('messaging_consumer_group_name, recording_outcome', 'messaging_process_duration_seconds_count'),
      '`failed` events are retried.',
    ),
    lines(
      'Processes connected to Kafka',
      'none',
      by('min', 'job, instance', 'recording_kafka_connected'),
      '1 if the last send or connection succeeded.',
      { runbook: 'EventsNotPublished' },
    ),
    lines(
      'Dead letters',
      'none',
      [{ expr: 'max(recording_dead_letters)', legend: 'set aside' }],
      'Records that no consumer could handle.',
      {
        warn: 1,
        runbook: 'DeadLetters',
      },
    ),
  ],
};

/** MongoDB and the object store. */
export const STORES: Dashboard = {
  name: 'stores',
  title: 'Stores',
  description: 'MongoDB and the object store, as the services see them.',
  panels: [
    lines(
      'Object store: duration',
      's',
      usual('http_client_request_duration_seconds', 'recording_peer="store"'),
      'Until the headers of the HTTP response.',
      {
        warn: 0.5,
        bad: 1,
        runbook: 'ObjectStoreSlow',
      },
    ),
    lines(
      'Object store: the oldest open request',
      's',
      by('max', 'job', 'recording_peer_age_seconds{recording_peer="store"}'),
      'Durations include only ended requests; this one shows a hanging server.',
      { warn: 5, bad: 10, runbook: 'ObjectStoreSlow' },
    ),
    lines(
      'Object store: requests',
      'reqps',
      rates('job, http_response_status_code', 'http_client_request_duration_seconds_count{recording_peer="store"}'),
      'By service and status.',
    ),
    lines(
      'Object store: errors',
      'reqps',
      orZeroOf(
        rates(
          'job, error_type',
          'http_client_request_duration_seconds_count{recording_peer="store", error_type=~"5..|unreachable|timeout"}',
        ),
      ),
      'Without 404: missing objects are normal.',
      { bad: 0.1, runbook: 'ObjectStoreSlow' },
    ),
    lines(
      'MongoDB: duration',
      's',
      usual(COMMAND, WITHOUT_WAITS),
      'Of a command except `getMore`, without waiting for a connection.',
      { warn: 0.1, runbook: 'DatabaseSlow' },
    ),
    lines(
      'MongoDB: duration of getMore',
      's',
      usual(COMMAND, 'db_operation_name="getMore"'),
      'Includes the wait for future events.',
    ),
    lines(
      'MongoDB: commands in progress',
      'none',
      [
        {
          expr: `topk(8, ${rateBy('db_operation_name', `${COMMAND}_sum{${WITHOUT_WAITS}}`)})`,
          legend: '{{db_operation_name}}',
        },
      ],
      'The mean number, without `getMore`: the seconds of commands per second.',
      { stacked: true },
    ),
    lines(
      'MongoDB: errors',
      'ops',
      orZeroOf(rates('job', `${COMMAND}_count{error_type!=""}`)),
      'Failed commands, including write conflicts.',
    ),
    lines('MongoDB: has a primary', 'none', by('min', 'job, instance', 'recording_database_primary'), 'Pages at 0.', {
      warn: 1,
      bad: 0,
      lowIsBad: true,
      runbook: 'DatabaseWithoutPrimary',
    }),
    lines(
      'Clocks: difference to the database’s',
      's',
      by('max', 'job, instance', 'abs(recording_clock_offset_seconds)'),
      'A ticket from two seconds on.',
      { warn: 2, runbook: 'ClockSkewed' },
    ),
    lines(
      'Calls in progress by server',
      'none',
      [{ expr: 'recording:server_seconds:rate5m', legend: '{{server}}' }],
      'The mean number, without `getMore`: the seconds per second for which the services wait for the server.',
      { stacked: true, runbook: 'which-step-is-slow' },
    ),
    lines(
      'One call, now and before',
      's',
      [
        { expr: 'recording:server_seconds:mean5m', legend: '{{server}}' },
        { expr: 'recording:server_seconds_before:mean3h', legend: '{{server}} before' },
      ],
      'Means; “before” is the median of the three hours before.',
      { runbook: 'which-step-is-slow' },
    ),
  ],
};

/** The resources of each process. */
export const PROCESSES: Dashboard = {
  name: 'processes',
  title: 'Processes',
  description: 'Memory, CPU, files and telemetry.',
  panels: [
    lines(
      'Memory, share of its limit',
      'percentunit',
      by('max', 'job, instance', 'process_memory_usage_bytes / recording_memory_limit_bytes'),
      'At 1, the process is killed.',
      { warn: 0.8, bad: 0.9, runbook: 'MemoryNearLimit' },
    ),
    lines('Memory', 'bytes', by('max', 'job, instance', 'process_memory_usage_bytes'), 'Without child processes.'),
    lines(
      'JavaScript heap',
      'bytes',
      by('sum', 'job, instance', 'v8js_memory_heap_used_bytes'),
      'A heap that only grows is a leak.',
    ),
    lines(
      'CPU',
      'suffix:cores',
      rates('job, instance', 'process_cpu_time_seconds_total'),
      'Without child processes; JavaScript uses one core at most.',
      { warn: 0.9 },
    ),
    lines(
      'Event loop: delay',
      's',
      by('max', 'job, instance', 'nodejs_eventloop_delay_p99_seconds'),
      'The 99th percentile; 0.2 in a healthy process, which measures every 0.2 s.',
      { warn: 0.3, bad: 0.5, runbook: 'EventLoopLate' },
    ),
    lines(
      'Event loop: in use',
      'percentunit',
      by('max', 'job, instance', 'nodejs_eventloop_utilization_ratio'),
      'Near 1: too much for one process.',
      { warn: 0.9 },
    ),
    lines(
      'File descriptors, share of the limit',
      'percentunit',
      by('max', 'job, instance', 'process_open_file_descriptor_count / recording_file_descriptor_limit'),
      'Pages from four fifths on.',
      { warn: 0.5, bad: 0.8, runbook: 'FileDescriptorsRunningOut' },
    ),
    lines('Sockets', 'none', by('max', 'job, instance', 'recording_sockets'), 'Part of the file descriptors.', {
      runbook: 'FileDescriptorsRunningOut',
    }),
    lines(
      'Slots in use',
      'percentunit',
      [
        {
          expr: 'sum by (job, recording_slot_kind) (recording_slots_used) / sum by (job, recording_slot_kind) (recording_slots_limit)',
          legend: '{{job}} {{recording_slot_kind}}',
        },
      ],
      'The used share of the concurrency limits.',
      { warn: 0.9 },
    ),
    lines(
      'Dropped telemetry',
      'ops',
      [
        {
          expr: orZero(rateBy('job, recording_signal', 'recording_telemetry_dropped_total')),
          legend: '{{job}} {{recording_signal}}',
        },
        { expr: rateBy('job, exporter', 'otelcol_exporter_send_failed_spans'), legend: '{{job}}: {{exporter}}' },
      ],
      'By services: the collector was down or slow. By the collector: the trace store was down or slow.',
      { warn: 0.1, runbook: 'TelemetryDropped' },
    ),
    lines(
      'Spans received by the collector',
      'ops',
      rates('service_name', 'traces_span_metrics_calls_total'),
      'Before sampling.',
    ),
    lines(
      'The collector responds',
      'none',
      [{ expr: 'up{job=~"recording-request|collector"}', legend: '{{job}}' }],
      'At 0, do not trust any figure here.',
      {
        warn: 1,
        bad: 0,
        lowIsBad: true,
        runbook: 'CollectorAway',
      },
    ),
  ],
};
