import { histogram, pair, type Series, type Trial } from './trial.ts';

const peer = (name: string, more: string, perMinute: number, quick: number) =>
  histogram('http_client_request_duration_seconds', `job="media",instance="a",recording_peer="${name}"${more}`, {
    perMinute,
    seconds: 1,
    shares: { '1.0': quick, '2.5': quick },
  });
const commands = (name: string, quick: number) =>
  histogram('db_client_operation_duration_seconds', `job="projects",instance="a",db_operation_name="${name}"`, {
    perMinute: 60,
    seconds: 0.5,
    shares: { '0.5': quick },
  });
const GROUP = 'messaging_destination_name="media.work",messaging_consumer_group_name="media"';
const calls = (instance: string, seconds: number) =>
  histogram('rpc_server_call_duration_seconds', `job="projects",instance="${instance}",rpc_method="a.v1.B/C"`, {
    perMinute: 60,
    seconds,
    shares: { '1.0': 1 },
  });
const EVENTS = 'messaging_destination_name="media.events",messaging_consumer_group_name="submissions"';
const handled = (perMinute: number, group = GROUP) =>
  histogram('messaging_process_duration_seconds', `job="media",instance="a",${group},recording_outcome="ok"`, {
    perMinute,
    seconds: 1,
    shares: { '2.5': 1 },
  });

const ffmpeg = (wallPerMinute: number, cpuPerMinute: number): Series =>
  Object.fromEntries(
    Object.entries({ run: wallPerMinute, cpu: cpuPerMinute }).map(([counter, perMinute]) => [
      `recording_ffmpeg_${counter}_time_seconds_total{job="media",instance="a",process_executable_name="ffmpeg"}`,
      `0+${perMinute}x40`,
    ]),
  );
const STALLED = 'recording_program_stalled_seconds{job="media",instance="a",process_executable_name="ffmpeg"}';
const killed = (values: string): Series => ({
  'recording_ffmpeg_duration_seconds_count{job="media",instance="a",process_executable_name="ffmpeg",recording_outcome="killed"}':
    values,
});

const DELAY = 'nodejs_eventloop_delay_p99_seconds{job="gateway",instance="a"}';

const LOST = [
  'otelcol_exporter_send_failed_spans{job="collector",instance="c",exporter="zipkin"}',
  'otelcol_exporter_enqueue_failed_spans{job="collector",instance="c",exporter="zipkin"}',
  'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early{job="collector",instance="c"}',
];
const LOST_BEFORE: Series = Object.fromEntries(LOST.map(series => [series, '7x40']));

/** For each alert about a cause, by its name: at least one fault, and one similar healthy state. */
export const CAUSE_TRIALS: Readonly<Record<string, readonly Trial[]>> = {
  DatabaseWithoutPrimary: [
    ...pair(
      'DatabaseWithoutPrimary page',
      12,
      { 'recording_database_primary{job="projects",instance="a"}': '1x5 0x20' },
      { 'recording_database_primary{job="projects",instance="a"}': '1x20' },
    ),
    {
      name: 'an election is no fault',
      series: { 'recording_database_primary{job="projects",instance="a"}': '1x5 0 1x60' },
      minutes: 6,
      fires: [],
    },
  ],
  DatabaseSlow: [
    ...pair('DatabaseSlow page', 15, commands('find', 0.5), commands('find', 0.95)),
    { name: 'a getMore may wait', series: commands('getMore', 0), minutes: 15, fires: [] },
  ],
  ObjectStoreSlow: [
    ...pair('ObjectStoreSlow page', 15, peer('store', '', 60, 0.5), peer('store', '', 60, 0.95)),
    {
      name: 'a store that is down',
      series: { ...peer('store', ',error_type="unreachable"', 30, 1), ...peer('store', '', 30, 1) },
      minutes: 15,
      fires: ['ObjectStoreSlow page'],
    },
    {
      name: 'a missing object is no fault',
      series: peer('store', ',error_type="404"', 60, 1),
      minutes: 15,
      fires: [],
    },
    { name: 'an endpoint is no store', series: peer('endpoint', '', 60, 0.1), minutes: 15, fires: [] },
    { name: 'one slow request of two', series: peer('store', '', 0.2, 0.5), minutes: 15, fires: [] },
  ],
  EventsNotPublished: pair(
    'EventsNotPublished page',
    20,
    { 'recording_outbox_age_seconds{job="submissions",instance="a"}': '0x5 60+60x20' },
    { 'recording_outbox_age_seconds{job="submissions",instance="a"}': '0 45 10 0 59 3x20' },
  ),
  SpeechFailing: pair(
    'SpeechFailing page',
    30,
    { ...peer('speech', ',error_type="unreachable"', 1, 1), ...peer('speech', '', 0.2, 1) },
    { ...peer('speech', ',error_type="503"', 0.2, 1), ...peer('speech', '', 2, 1) },
  ),
  EndpointsFailing: pair(
    'EndpointsFailing ticket',
    10,
    {
      'recording_webhook_endpoints{job="webhooks",instance="a",recording_endpoint_state="ok"}': '3x20',
      'recording_webhook_endpoints{job="webhooks",instance="a",recording_endpoint_state="failing"}': '1x20',
    },
    {
      'recording_webhook_endpoints{job="webhooks",instance="a",recording_endpoint_state="ok"}': '9x20',
      'recording_webhook_endpoints{job="webhooks",instance="a",recording_endpoint_state="failing"}': '1x20',
    },
  ),
  EndpointFailing: pair(
    'EndpointFailing ticket',
    10,
    { 'recording_webhook_failing_seconds{job="webhooks",instance="a",recording_project_id="p"}': '600+60x20' },
    { 'recording_webhook_failing_seconds{job="webhooks",instance="a",recording_project_id="p"}': '0+60x9 _x20' },
  ),
  CollectorAway: [
    ...pair(
      'CollectorAway page',
      10,
      { 'up{job="recording-request"}': '1x3 0x20' },
      { 'up{job="recording-request"}': '1 0 1x20' },
    ),
  ],
  ServiceAway: [
    ...pair(
      'ServiceAway page',
      15,
      { 'process_memory_usage_bytes{job="media",instance="a"}': '100x3 stale' },
      {
        'process_memory_usage_bytes{job="media",instance="b"}': '100x20',
        'process_memory_usage_bytes{job="media",instance="a"}': '100x3 stale',
      },
    ),
    {
      name: 'a service that is away for over an hour',
      series: { 'process_memory_usage_bytes{job="media",instance="a"}': '100x3 stale' },
      minutes: 80,
      fires: ['ServiceAway page'],
    },
    {
      name: 'a service that has not started yet',
      series: { 'process_memory_usage_bytes{job="media",instance="a"}': '_x60 100x20' },
      minutes: 40,
      fires: [],
    },
  ],
  ConsumerStuck: [
    ...pair(
      'ConsumerStuck page',
      20,
      { [`recording_consumer_age_seconds{job="submissions",instance="a",${GROUP}}`]: '0x5 60+60x20' },
      { [`recording_consumer_age_seconds{job="submissions",instance="a",${GROUP}}`]: '0x5 60+60x20', ...handled(2) },
    ),
    {
      name: 'a job of ten minutes is no stuck consumer',
      series: {
        [`recording_consumer_age_seconds{job="submissions",instance="a",${GROUP}}`]: '0x5 60+60x9 0x20',
        'recording_slots_used{job="media",instance="a",recording_slot_kind="media"}': '0x5 1x10 0x20',
      },
      minutes: 14,
      fires: [],
    },
    {
      name: 'a consumer of events is stuck, although jobs run',
      series: {
        [`recording_consumer_age_seconds{job="submissions",instance="a",${EVENTS}}`]: '0x5 60+60x20',
        'recording_slots_used{job="media",instance="a",recording_slot_kind="media"}': '1x30',
      },
      minutes: 20,
      fires: ['ConsumerStuck page'],
    },
    {
      name: 'one of two consumers is stuck, the other continues',
      series: {
        [`recording_consumer_age_seconds{job="submissions",instance="a",${EVENTS}}`]: '0x5 60+60x60',
        ...handled(2, EVENTS),
      },
      minutes: 45,
      fires: ['ConsumerStuck page'],
    },
    {
      name: 'in a drill, a job that ends after waiting between its attempts is no stuck consumer',
      series: {
        [`recording_consumer_age_seconds{job="media",instance="a",${GROUP}}`]: '0x5 1+1x60',
        [`messaging_process_duration_seconds_count{job="media",instance="a",${GROUP},recording_outcome="failed"}`]:
          '2x4 3x60',
      },
      minutes: 40,
      isDrill: true,
      fires: [],
    },
    {
      name: 'in a drill, a consumer that handles no event for longer is stuck',
      series: {
        [`recording_consumer_age_seconds{job="media",instance="a",${GROUP}}`]: '0x5 1+1x90',
        [`messaging_process_duration_seconds_count{job="media",instance="a",${GROUP},recording_outcome="failed"}`]:
          '3x100',
      },
      minutes: 60,
      isDrill: true,
      fires: ['ConsumerStuck page'],
    },
    {
      name: 'a group has no member',
      series: { [`recording_consumer_members{job="media",instance="a",${GROUP}}`]: '1x5 0x20' },
      minutes: 15,
      fires: ['ConsumerStuck page'],
    },
    {
      name: 'a group has one member',
      series: {
        [`recording_consumer_members{job="media",instance="a",${GROUP}}`]: '1x5 0x20',
        [`recording_consumer_members{job="media",instance="b",${GROUP}}`]: '1x25',
      },
      minutes: 15,
      fires: [],
    },
  ],
  DiskFull: pair(
    'DiskFull page',
    10,
    { 'recording_disk_free_ratio{job="media",instance="a",recording_disk="work"}': '0.5x3 0.02x20' },
    { 'recording_disk_free_ratio{job="media",instance="a",recording_disk="work"}': '0.5x3 0.2x20' },
  ),
  FfmpegStarved: [
    ...pair('FfmpegStarved page', 15, ffmpeg(60, 6), ffmpeg(60, 30)),
    { name: 'a short run says nothing', series: ffmpeg(2, 0.1), minutes: 15, fires: [] },
    {
      name: 'one halted run has an alert of its own',
      series: { ...ffmpeg(60, 6), [STALLED]: '0x5 60+60x20' },
      minutes: 15,
      fires: ['ProgramStalled page'],
    },
  ],
  ProgramStalled: pair('ProgramStalled page', 10, { [STALLED]: '0x5 60+60x20' }, { [STALLED]: '0 5 30 2 0x20' }),
  ProgramsKilled: [
    ...pair('ProgramsKilled page', 12, killed('0x5 0+3x20'), killed('0x8 1 1x20')),
    {
      name: 'the first runs that were killed',
      series: killed('_x11 3x20'),
      minutes: 12,
      fires: ['ProgramsKilled page'],
    },
    { name: 'two runs that were killed', series: killed('_x11 2x20'), minutes: 12, fires: [] },
    { name: 'runs that were killed long ago', series: killed('_x5 9x20'), minutes: 12, fires: [] },
  ],
  InstanceSlow: [
    ...pair(
      'InstanceSlow page',
      15,
      { ...calls('a', 0.05), ...calls('b', 0.9) },
      { ...calls('a', 0.5), ...calls('b', 0.9) },
    ),
    {
      name: 'three times as slow, but fast',
      series: { ...calls('a', 0.01), ...calls('b', 0.1) },
      minutes: 15,
      fires: [],
    },
    { name: 'a single process has no sibling to compare with', series: calls('a', 3), minutes: 15, fires: [] },
  ],
  ProcessPaused: [
    ...pair('ProcessPaused page', 9, { [DELAY]: '0.2x5 2x20' }, { [DELAY]: '0.2x5 0.9x20' }),
    {
      name: 'a process that was halted for minutes',
      series: { [DELAY]: '0.2x5 _x3 180 0.2x20' },
      minutes: 10,
      fires: [],
    },
    { name: 'a process that starts busily', series: { [DELAY]: '_x5 3 0.2x20' }, minutes: 6, fires: [] },
    { name: 'a process that ends busily', series: { [DELAY]: '0.2x5 3 stale' }, minutes: 7, fires: [] },
    {
      name: 'in a drill, nine busy exports of ten',
      series: { [DELAY]: `0.2x20 ${'3x8 0.2 '.repeat(5)}0.2x20` },
      minutes: 60,
      isDrill: true,
      fires: ['EventLoopLate ticket'],
    },
    {
      name: 'in a drill, every export',
      series: { [DELAY]: '0.2x20 3x40' },
      minutes: 34,
      isDrill: true,
      fires: ['ProcessPaused page', 'EventLoopLate ticket'],
    },
  ],
  FileDescriptorsRunningOut: pair(
    'FileDescriptorsRunningOut page',
    10,
    {
      'process_open_file_descriptor_count{job="gateway",instance="a"}': '900x20',
      'recording_file_descriptor_limit{job="gateway",instance="a"}': '1024x20',
    },
    {
      'process_open_file_descriptor_count{job="gateway",instance="a"}': '700x20',
      'recording_file_descriptor_limit{job="gateway",instance="a"}': '1024x20',
    },
  ),
  ClockSkewed: pair(
    'ClockSkewed ticket',
    10,
    { 'recording_clock_offset_seconds{job="webhooks",instance="a"}': '-30x20' },
    { 'recording_clock_offset_seconds{job="webhooks",instance="a"}': '-0.4x20' },
  ),
  MemoryNearLimit: pair(
    'MemoryNearLimit ticket',
    15,
    { 'recording_memory_limit_bytes{job="media",instance="a"}': '105x20' },
    { 'recording_memory_limit_bytes{job="media",instance="a"}': '200x20' },
  ),
  EventLoopLate: pair('EventLoopLate ticket', 15, { [DELAY]: '0.8x20' }, { [DELAY]: '0.02x6 0.9 0.02x20' }),
  TelemetryDropped: [
    ...pair(
      'TelemetryDropped ticket',
      20,
      { 'recording_telemetry_dropped_total{job="media",instance="a",recording_signal="traces"}': '0x5 0+10x30' },
      { 'recording_telemetry_dropped_total{job="media",instance="a",recording_signal="traces"}': '7x30' },
    ),
    ...LOST.map(series => ({
      name: `${series} grows`,
      series: { ...LOST_BEFORE, [series]: '_x5 10+10x30' },
      minutes: 20,
      fires: ['TelemetryDropped ticket'],
    })),
    { name: 'the collector lost something before', series: LOST_BEFORE, minutes: 20, fires: [] },
  ],
};
