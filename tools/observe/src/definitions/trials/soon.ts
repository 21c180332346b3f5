/** Series by their names with labels; values in promtool's notation. */
type Series = Readonly<Record<string, string>>;

/** Seconds between two samples, as in production. */
export const SAMPLE = 15;
const BEFORE = 600;
const FAULT = 180;
const AFTER = 600;

/** A fault of three minutes: the page must fire while it lasts, and end soon after it. */
export interface SoonTrial {
  alert: string;
  what: string;
  series: Series;
  /** The seconds after the first sample with the fault until the alert must fire; undefined if it must not fire. */
  within: number | undefined;
  /** An alert that must not fire, neither during the fault nor after it. */
  never?: string;
}

export const FAULT_AT = BEFORE;
export const FAULT_END = BEFORE + FAULT;

/** The value at a time; `since` is undefined without the fault, else the seconds since its beginning. */
type At = (since: number | undefined) => number | '_';

function samples(at: At): (number | '_')[] {
  const count = (BEFORE + FAULT + AFTER) / SAMPLE;
  return Array.from({ length: count }, (_, index) => {
    const since = index * SAMPLE - BEFORE;
    return at(since >= 0 && since < FAULT ? since : undefined);
  });
}

const gauge = (name: string, labels: string, at: At): Series => ({
  [`${name}{job="${labels.split(' ')[0]}",instance="a"${labels.includes(' ') ? `,${labels.split(' ')[1]}` : ''}}`]:
    samples(at).join(' '),
});

/** A counter that grows by `at` a second. */
function counter(series: string, at: (since: number | undefined) => number): Series {
  let total = 0;
  const values = samples(since => {
    total += at(since) * SAMPLE;
    return total;
  });
  return { [series]: values.join(' ') };
}

/** The series of one call a second, which takes `slow` seconds during the fault; a bucket has the limit `le`. */
function calls(metric: string, labels: string, le: string): Series {
  return {
    ...counter(`${metric}_count{${labels}}`, () => 1),
    ...counter(`${metric}_bucket{${labels},le="${le}"}`, since => (since === undefined ? 1 : 0)),
    ...counter(`${metric}_bucket{${labels},le="+Inf"}`, () => 1),
  };
}

const DELAY = 'nodejs_eventloop_delay_p99_seconds';
const HTTP = 'http_client_request_duration_seconds';
const GROUP = 'messaging_destination_name="a.media.events",messaging_consumer_group_name="a.submissions"';
// The interval of figures that need a query: one process reads them every half minute.
const FIGURES = 30;
const olderBy = (since: number) => Math.floor(since / FIGURES) * FIGURES;

export const SOON: readonly SoonTrial[] = [
  {
    alert: 'DatabaseWithoutPrimary',
    what: 'MongoDB has no primary',
    within: 75,
    series: gauge('recording_database_primary', 'projects', since => (since === undefined ? 1 : 0)),
  },
  {
    alert: 'DatabaseSlow',
    what: 'each command takes a second',
    within: 75,
    series: calls(
      'db_client_operation_duration_seconds',
      'job="projects",instance="a",db_operation_name="find"',
      '0.5',
    ),
  },
  {
    alert: 'ObjectStoreSlow',
    what: 'each request to the object store takes two seconds',
    within: 75,
    series: calls(HTTP, 'job="media",instance="a",recording_peer="store",http_response_status_code="200"', '1.0'),
  },
  {
    alert: 'ObjectStoreSlow',
    what: 'the object store is halted',
    within: 75,
    // A request ends after half a minute without a response.
    series: gauge('recording_peer_age_seconds', 'media recording_peer="store"', (since = 0) => since % 30),
  },
  {
    alert: 'EventsNotPublished',
    what: 'Kafka is down',
    within: 120,
    series: gauge('recording_outbox_age_seconds', 'submissions', since => (since === undefined ? 0 : olderBy(since))),
  },
  {
    alert: 'SpeechFailing',
    what: 'the speech endpoint refuses connections',
    within: 120,
    series: {
      ...counter(`${HTTP}_count{job="transcription",instance="a",recording_peer="speech"}`, since =>
        since === undefined ? 0.05 : 0,
      ),
      ...counter(
        `${HTTP}_count{job="transcription",instance="a",recording_peer="speech",error_type="unreachable"}`,
        since => (since === undefined ? 0 : 0.2),
      ),
    },
  },
  {
    alert: 'SpeechFailing',
    what: 'the speech endpoint is halted',
    within: 150,
    series: gauge('recording_peer_age_seconds', 'transcription recording_peer="speech"', (since = 0) => since),
  },
  {
    alert: 'ServiceAway',
    what: 'the only process of transcription is halted; the collector drops its metrics after three exports',
    within: 90,
    series: {
      'process_memory_usage_bytes{job="transcription",instance="a"}': samples(since =>
        since === undefined || since < 45 ? 100 : '_',
      )
        .join(' ')
        .replace(/_/, 'stale'),
    },
  },
  {
    alert: 'ConsumerStuck',
    what: 'a consumer gets no events',
    within: 150,
    series: {
      ...gauge('recording_consumer_age_seconds', `submissions ${GROUP}`, since =>
        since === undefined ? 0 : olderBy(since),
      ),
      ...counter(
        `messaging_process_duration_seconds_count{job="submissions",instance="a",${GROUP},recording_outcome="ok"}`,
        since => (since === undefined ? 1 : 0),
      ),
    },
  },
  {
    alert: 'ProcessPaused',
    what: 'the gateway is stopped for 1.8 s of every 2 s',
    within: 75,
    series: gauge(DELAY, 'gateway', since => (since === undefined ? 0.2 : 2)),
    never: 'EventLoopLate',
  },
  {
    alert: 'ProcessPaused',
    what: 'one busy export',
    within: undefined,
    series: gauge(DELAY, 'gateway', since => (since === 0 ? 6 : 0.2)),
  },
  {
    alert: 'ProcessPaused',
    what: 'four busy exports of five',
    within: undefined,
    series: gauge(DELAY, 'gateway', since => (since === undefined || since % 75 === 60 ? 0.2 : 3)),
  },
  {
    alert: 'ProcessPaused',
    what: 'the collector repeats the busy export of a process that exports each minute',
    within: undefined,
    series: gauge(DELAY, 'gateway', since => (since === undefined || since >= 75 ? 0.2 : 3)),
  },
  {
    alert: 'FfmpegStarved',
    what: 'ffmpeg gets a tenth of its CPU',
    within: 120,
    series: {
      ...counter(
        'recording_ffmpeg_run_time_seconds_total{job="media",instance="a",process_executable_name="ffmpeg"}',
        since => (since === undefined ? 0.2 : 2),
      ),
      ...counter(
        'recording_ffmpeg_cpu_time_seconds_total{job="media",instance="a",process_executable_name="ffmpeg"}',
        () => 0.2,
      ),
    },
  },
  {
    alert: 'ProgramStalled',
    what: 'one ffmpeg is halted',
    within: 90,
    series: {
      ...gauge('recording_program_stalled_seconds', 'media process_executable_name="ffmpeg"', (since = 0) => since),
      ...counter(
        'recording_ffmpeg_run_time_seconds_total{job="media",instance="a",process_executable_name="ffmpeg"}',
        since => (since === undefined ? 0.2 : 1.2),
      ),
      ...counter(
        'recording_ffmpeg_cpu_time_seconds_total{job="media",instance="a",process_executable_name="ffmpeg"}',
        () => 0.15,
      ),
    },
    // The time without CPU stays in the window of the share after the program has ended.
    never: 'FfmpegStarved',
  },
  {
    alert: 'ProgramsKilled',
    what: 'each run of ffmpeg is killed',
    within: 60,
    series: counter(
      'recording_ffmpeg_duration_seconds_count{job="media",instance="a",process_executable_name="ffmpeg",recording_outcome="killed"}',
      since => (since === undefined ? 0 : 0.2),
    ),
  },
];
