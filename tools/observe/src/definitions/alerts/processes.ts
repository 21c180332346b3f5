import { type Alert, PROCESS_WAIT, TICKET_WAIT } from '../alert.ts';
import { HOUR, MINUTE, type Time } from '../time.ts';

const OF = 'messaging_destination_name, messaging_consumer_group_name';
const SERVICES = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'];

// An event is handled when its job has ended. That takes seconds, or half a minute when a server needs retries.
const JOB_SECONDS = 45;
// The topics whose records may wait for a free slot: while jobs use slots, the consumer is not stuck.
const JOBS = { media: '(.+[.])?media[.]work', transcript: '(.+[.])?transcription[.]work' };

function consumerStuck(time: Time): string {
  const ageOf = (topics: string) => `max by (${OF}) (recording_consumer_age_seconds${topics})`;
  const handled = `sum by (${OF}) (rate(messaging_process_duration_seconds_count[${time.window(MINUTE, JOB_SECONDS)}])) > 0`;
  const notHandled = (topics: string) => `(${ageOf(topics)} > ${time.seconds(MINUTE, JOB_SECONDS)} unless ${handled})`;
  const events = `{messaging_destination_name!~"${Object.values(JOBS).join('|')}"}`;
  return [
    notHandled(events),
    ...Object.entries(JOBS).map(
      ([kind, topic]) =>
        `(${notHandled(`{messaging_destination_name=~"${topic}"}`)} unless on () sum(recording_slots_used{recording_slot_kind="${kind}"}) > 0)`,
    ),
    `(${ageOf(events)} > ${time.seconds(30 * MINUTE, 2 * JOB_SECONDS)})`,
    `(sum by (${OF}) (max_over_time(recording_consumer_members[${time.window(MINUTE, 10)}])) == 0)`,
  ].join('\nor ');
}

// Counts spans that the trace store refused, spans that its full queue dropped, and traces that were evicted before a decision.
const LOST = [
  'otelcol_exporter_send_failed_spans',
  'otelcol_exporter_enqueue_failed_spans',
  'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early',
];

function telemetryDropped(time: Time): string {
  const window = time.window(15 * MINUTE);
  const lost = LOST.map(name => `increase(${name}[${window}]) > 0`).join(' or ');
  return [
    `sum by (job, recording_signal) (increase(recording_telemetry_dropped_total[${window}])) > 0`,
    `sum by (job) (${lost})`,
  ].join('\nor ');
}

// A service that has not started yet must not fire the alert, so the service must have sent metrics within the last hour. After
// that hour, the firing alert itself keeps the condition true until the service is back.
function serviceAway(time: Time): string {
  return SERVICES.map(job => {
    const metric = `process_memory_usage_bytes{job="${job}"}`;
    const wasThere = `present_over_time(${metric}[${time.window(HOUR)}])`;
    const fires = `ALERTS{alertname="ServiceAway", alertstate="firing", job="${job}"}`;
    return `(absent(${metric}) and on () (${wasThere} or ${fires}))`;
  }).join('\nor ');
}

/** Below this share of a CPU, ffmpeg is starved: even on a busy machine, it uses at least half a CPU. */
const STARVED_SHARE = 0.2;
/** Below this use of ffmpeg (seconds of runs per second), the CPU share is not reliable. */
const LEAST_USE = 0.1;
/**
 * The minimum threshold (seconds) for a stalled program. A drill divides thresholds by its factor, but a service samples
 * its programs only every few seconds.
 */
const STALLED_LEAST = 10;

function ffmpegStarved(time: Time): string {
  const window = time.window(2 * MINUTE, 10);
  const rate = (counter: string) =>
    `sum by (job) (rate(recording_ffmpeg_${counter}_time_seconds_total{process_executable_name="ffmpeg"}[${window}]))`;
  return [
    `${rate('cpu')} / (${rate('run')} > ${LEAST_USE}) < ${STARVED_SHARE}`,
    // ProgramStalled reports a halted program. Its time without CPU stays in the window after it continues.
    `unless on (job) max by (job) (max_over_time(recording_program_stalled_seconds[${window}])) > ${time.seconds(15, STALLED_LEAST / 2)}`,
  ].join('\n');
}

function programsKilled(time: Time): string {
  const window = time.window(2 * MINUTE, 15);
  const killed = 'recording_ffmpeg_duration_seconds_count{recording_outcome="killed"}';
  // Adds the first killed run of a process: its series begins with this run, so increase() would not count it.
  return `sum by (job) ((${killed} unless ${killed} offset ${window}) or increase(${killed}[${window}])) > 2`;
}

/** Above this event-loop delay (seconds), a process does not respond in time, for any reason. */
const PAUSED_SECONDS = 1;

// A single busy export does not fire the alert: the delay must be high now, a minute ago and in every export between. A
// process that started or ended within this minute has no value at one of the two ends, so it does not fire the alert
// either.
function processPaused(time: Time): string {
  const window = time.window(MINUTE, 10);
  const delay = 'nodejs_eventloop_delay_p99_seconds';
  const over = [`min_over_time(${delay}[${window}])`, delay, `${delay} offset ${window}`];
  return `min by (job, instance) (\n${over.map(each => `${each} > ${PAUSED_SECONDS}`).join('\nand ')}\n)`;
}

/** Alerts about a process or its resources, each with the labels `job` and `instance` if it is about one process. */
export const PROCESS_ALERTS: readonly Alert[] = [
  {
    name: 'CollectorAway',
    about: 'process',
    severity: 'page',
    expr: () => 'absent(up{job="recording-request"} == 1) or absent(up{job="collector"} == 1)',
    forSeconds: PROCESS_WAIT,
    leastForSeconds: 5,
    summary: 'The collector does not respond',
    description: 'Clips are processed as before, but nothing is measured or traced: do not trust any other alert.',
  },
  {
    name: 'ServiceAway',
    about: 'process',
    severity: 'page',
    expr: serviceAway,
    forSeconds: PROCESS_WAIT,
    leastForSeconds: 5,
    summary: 'No process of {{ $labels.job }} sends metrics',
    description: 'Its processes have ended or are halted. Its work waits; acknowledged data is safe.',
  },
  {
    name: 'ConsumerStuck',
    about: 'process',
    severity: 'page',
    expr: consumerStuck,
    // Longer than EventsNotPublished needs to notice that Kafka is down, because it explains this alert.
    forSeconds: PROCESS_WAIT + 30,
    summary:
      '{{ $labels.messaging_consumer_group_name }} handles no events of {{ $labels.messaging_destination_name }}',
    description: 'Kafka has events, but a consumer does not handle them: one step of every clip is paused.',
  },
  {
    name: 'DiskFull',
    about: 'process',
    severity: 'page',
    expr: () => 'min by (job, instance) (recording_disk_free_ratio) < 0.1',
    forSeconds: PROCESS_WAIT,
    summary: '{{ $labels.job }} has {{ $value | humanizePercentage }} of its disk free',
    description: 'Jobs keep their files there: thumbnails, audio and transcripts of long clips fail and are retried.',
  },
  {
    name: 'InstanceSlow',
    about: 'process',
    severity: 'page',
    // Compares with the fastest sibling, because an average of two processes would include the slow one.
    expr: () =>
      'recording:instance_seconds:mean2m > 0.25\nand recording:instance_seconds:mean2m > on (job, of) group_left () (3 * min by (job, of) (recording:instance_seconds:mean2m))',
    forSeconds: PROCESS_WAIT,
    summary:
      '{{ $labels.instance }} of {{ $labels.job }} takes {{ $value | humanizeDuration }}, over three times as long as its fastest sibling',
    description: 'All requests to this process are slow; its siblings are healthy.',
  },
  {
    name: 'ProcessPaused',
    about: 'process',
    severity: 'page',
    expr: processPaused,
    forSeconds: PROCESS_WAIT,
    summary: '{{ $labels.instance }} of {{ $labels.job }} pauses for {{ $value | humanizeDuration }} again and again',
    description:
      'Requests wait until the process accepts them, so its own durations do not show the wait. It is too busy, or it is stopped at intervals.',
  },
  {
    name: 'FileDescriptorsRunningOut',
    about: 'process',
    severity: 'page',
    expr: () => 'max by (job, instance) (process_open_file_descriptor_count / recording_file_descriptor_limit) > 0.8',
    forSeconds: PROCESS_WAIT,
    summary:
      '{{ $labels.instance }} of {{ $labels.job }} has {{ $value | humanizePercentage }} of its file descriptors open',
    description: 'At the limit, it accepts no connection and opens no file.',
  },
  {
    name: 'FfmpegStarved',
    about: 'process',
    severity: 'page',
    expr: ffmpegStarved,
    // After an outage, all waiting work runs at once and shares the CPU for some seconds.
    forSeconds: 2 * PROCESS_WAIT,
    leastForSeconds: 12,
    summary: 'ffmpeg of {{ $labels.job }} uses {{ $value | humanizePercentage }} of a CPU',
    description:
      'Thumbnails, audio and transcripts take many times as long as usual, and landings wait until media has checked the file.',
  },
  {
    name: 'ProgramStalled',
    about: 'process',
    severity: 'page',
    expr: time => `max by (job, instance) (recording_program_stalled_seconds) > ${time.seconds(MINUTE, STALLED_LEAST)}`,
    forSeconds: PROCESS_WAIT,
    summary:
      'A program of {{ $labels.instance }} of {{ $labels.job }} has used no CPU for {{ $value | humanizeDuration }}',
    description:
      'It is halted, or its disk does not respond. It keeps a slot, and its clip waits until the program’s time limit.',
  },
  {
    name: 'ProgramsKilled',
    about: 'process',
    severity: 'page',
    expr: programsKilled,
    forSeconds: 0,
    summary: '{{ $value | humanize }} runs of ffmpeg of {{ $labels.job }} were killed in two minutes',
    description:
      'Usually, the container has too little memory. The clips are retried, but end without media after some attempts.',
  },
  {
    name: 'ClockSkewed',
    about: 'process',
    severity: 'ticket',
    expr: () => 'max by (job, instance) (abs(recording_clock_offset_seconds)) > 2',
    forSeconds: PROCESS_WAIT,
    summary: 'The clock of {{ $labels.instance }} of {{ $labels.job }} is off by {{ $value | humanizeDuration }}',
    description:
      'Leases use the database’s clock and stay correct, but the times that owners see, webhook signatures and presigned addresses are wrong.',
  },
  {
    name: 'MemoryNearLimit',
    about: 'process',
    severity: 'ticket',
    expr: () => 'max by (job, instance) (process_memory_usage_bytes / recording_memory_limit_bytes) > 0.9',
    forSeconds: TICKET_WAIT,
    summary: '{{ $labels.instance }} of {{ $labels.job }} uses {{ $value | humanizePercentage }} of its memory limit',
    description: 'At the limit, it is killed; another process repeats its work.',
  },
  {
    name: 'EventLoopLate',
    about: 'process',
    severity: 'ticket',
    expr: () => 'max by (job, instance) (nodejs_eventloop_delay_p99_seconds) > 0.5',
    forSeconds: TICKET_WAIT,
    summary: '{{ $labels.instance }} of {{ $labels.job }} handles its work {{ $value | humanizeDuration }} late',
    description: 'All its work waits for CPU: it has too little, or one task uses all of it.',
  },
  {
    name: 'TelemetryDropped',
    about: 'process',
    severity: 'ticket',
    expr: telemetryDropped,
    forSeconds: TICKET_WAIT,
    // The collector loses traces.
    summary: '{{ $labels.job }} has dropped {{ or $labels.recording_signal "traces" }}',
    description: 'Metrics and traces are incomplete. Clips are not affected.',
  },
];
