import { by, type Dashboard, lines, orZero, orZeroOf, type Panel, rateBy, rates, slotsInUse, usual } from './panel.ts';

const jobs = (kind: string, runbook: string): Panel[] => [
  lines(
    'Jobs',
    'none',
    by('max', 'recording_job_state', `recording_jobs{recording_job_kind="${kind}"}`),
    '`waiting` for a worker, or `running`.',
    { runbook },
  ),
  lines('Slots in use', 'percentunit', slotsInUse(kind), 'At 1 with waiting jobs: scale the service.', { warn: 0.9 }),
  lines(
    'Job: duration',
    's',
    usual('recording_job_duration_seconds', `recording_job_kind="${kind}"`),
    'One run at a worker, without waiting.',
  ),
  lines(
    'Ended and new jobs',
    'ops',
    [
      {
        expr: rateBy('recording_outcome', `recording_job_duration_seconds_count{recording_job_kind="${kind}"}`),
        legend: '{{recording_outcome}}',
      },
      {
        expr: rateBy('recording_job_kind', `recording_jobs_created_total{recording_job_kind="${kind}"}`),
        legend: 'new',
      },
    ],
    '`again`: returned to the queue for another run.',
    { runbook },
  ),
  lines(
    'The oldest job',
    's',
    [
      {
        expr: `max by (recording_job_kind) (recording_job_age_seconds{recording_job_kind="${kind}"})`,
        legend: 'due for its next run',
      },
      {
        expr: `max by (recording_step) (recording_step_age_seconds{recording_step="${kind}"})`,
        legend: 'without a result',
      },
    ],
    'All jobs.',
    { warn: 300, bad: 900, runbook },
  ),
  lines(
    'Failed clips',
    'none',
    [
      {
        expr: `sum by (recording_fault) (increase(recording_clips_failed_total{recording_step="${kind}"}[1h]))`,
        legend: '{{recording_fault}}',
      },
    ],
    'Failures within an hour, by fault: the clip or the service.',
    { runbook: 'ClipsFailing' },
  ),
];

const ffmpegRate = (time: 'cpu' | 'run') =>
  rateBy('process_executable_name', `recording_ffmpeg_${time}_time_seconds_total`);

/** Thumbnails, sound, and the video itself. */
export const MEDIA: Dashboard = {
  name: 'media',
  title: 'Media',
  description: 'From the landing of a clip to its thumbnails and audio.',
  panels: [
    lines('From landing to media', 's', usual('recording_media_delay_seconds'), 'The promise is a minute.', {
      warn: 30,
      bad: 60,
      runbook: 'MediaBudgetBurns',
    }),
    ...jobs('media', 'MediaWaits'),
    lines(
      'ffmpeg: seconds per second of clip',
      'none',
      [
        {
          expr: 'sum(rate(recording_media_ratio_sum[5m])) / (sum(rate(recording_media_ratio_count[5m])) > 0)',
          legend: 'mean',
        },
      ],
      'Grows with less CPU or harder clips.',
    ),
    lines(
      'ffmpeg: running processes',
      'none',
      rates('process_executable_name', 'recording_ffmpeg_run_time_seconds_total'),
      'The mean number, by program.',
      { stacked: true },
    ),
    lines(
      'ffmpeg: CPU',
      'suffix:cores',
      rates('process_executable_name', 'recording_ffmpeg_cpu_time_seconds_total'),
      'By program.',
    ),
    lines(
      'ffmpeg: CPU share of a run',
      'percentunit',
      [{ expr: `${ffmpegRate('cpu')} / (${ffmpegRate('run')} > 0)`, legend: '{{process_executable_name}}' }],
      'CPU seconds per second of a run. The share is low when programs are halted or get too little CPU.',
      { runbook: 'FfmpegStarved' },
    ),
    lines(
      'ffmpeg: the oldest run',
      's',
      by('max', 'process_executable_name', 'recording_program_age_seconds'),
      'A run ends at its time limit.',
    ),
    lines(
      'ffmpeg: the longest stall',
      's',
      by('max', 'process_executable_name', 'recording_program_stalled_seconds'),
      'How long a running program has used no CPU time.',
      { warn: 30, bad: 60, runbook: 'ProgramStalled' },
    ),
    lines(
      'ffmpeg: failures',
      'ops',
      orZeroOf(rates('recording_purpose', 'recording_ffmpeg_duration_seconds_count{recording_outcome="failed"}')),
      'Including failures caused by the clip.',
    ),
    lines(
      'ffmpeg: killed runs',
      'ops',
      orZeroOf(rates('recording_purpose', 'recording_ffmpeg_duration_seconds_count{recording_outcome="killed"}')),
      'A signal that the service did not send ended the program. For example, the kernel killed it because memory was short.',
      { runbook: 'ProgramsKilled' },
    ),
    lines(
      'Free disk for jobs',
      'percentunit',
      by('min', 'job, instance', 'recording_disk_free_ratio'),
      'Pages below a tenth.',
      { warn: 0.3, bad: 0.1, lowIsBad: true, runbook: 'DiskFull' },
    ),
  ],
};

/** Speech to text. */
export const TRANSCRIPTION: Dashboard = {
  name: 'transcription',
  title: 'Transcription',
  description: 'From the landing of a clip to its transcript.',
  panels: [
    lines(
      'From landing to transcript',
      's',
      usual('recording_transcript_delay_seconds'),
      'The promise is five minutes.',
      {
        warn: 120,
        bad: 300,
        runbook: 'TranscriptBudgetBurns',
      },
    ),
    ...jobs('transcript', 'TranscriptWaits'),
    lines(
      'Speech endpoint: duration',
      's',
      usual('http_client_request_duration_seconds', 'recording_peer="speech"'),
      'Until the headers of the HTTP response.',
      { runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech endpoint: the oldest open request',
      's',
      by('max', 'job', 'recording_peer_age_seconds{recording_peer="speech"}'),
      'Durations include only ended requests; this one shows a hanging server.',
      { warn: 30, bad: 60, runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech endpoint: errors',
      'reqps',
      orZeroOf(
        rates('error_type', 'http_client_request_duration_seconds_count{recording_peer="speech", error_type!=""}'),
      ),
      'A status, or the reason of a missing HTTP response.',
      { bad: 0.1, runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech: seconds per second of sound',
      'none',
      [
        {
          expr: 'sum(rate(recording_speech_ratio_sum[5m])) / (sum(rate(recording_speech_ratio_count[5m])) > 0)',
          legend: 'mean',
        },
      ],
      'Above the number of slots, clips arrive faster than transcripts.',
    ),
  ],
};

/** Webhooks to owners' systems. */
export const WEBHOOKS: Dashboard = {
  name: 'webhooks',
  title: 'Webhooks',
  description: 'From an event to the owner’s endpoint.',
  panels: [
    lines(
      'From event to first attempt',
      's',
      usual('recording_webhook_delay_seconds'),
      'The promise is a minute. Waiting behind the running attempts of the same endpoint does not count.',
      {
        warn: 30,
        bad: 60,
        runbook: 'WebhookBudgetBurns',
      },
    ),
    lines(
      'Attempts',
      'ops',
      [
        {
          expr: rateBy('recording_outcome, recording_attempt', 'recording_webhook_attempts_total'),
          legend: '{{recording_attempt}} {{recording_outcome}}',
        },
      ],
      'The first and later attempts of events.',
      { runbook: 'EndpointsFailing' },
    ),
    lines(
      'Endpoints',
      'none',
      by('max', 'recording_endpoint_state', 'recording_webhook_endpoints'),
      '`paused` endpoints wait for their owner.',
      { runbook: 'EndpointsFailing' },
    ),
    lines(
      'Failing endpoints',
      's',
      by('max', 'recording_project_id', 'recording_webhook_failing_seconds'),
      'How long the endpoint of a project has failed. Shows the ten longest times.',
      { warn: 900, runbook: 'EndpointFailing' },
    ),
    lines(
      'Newly paused endpoints',
      'none',
      [{ expr: orZero('sum(increase(recording_webhook_endpoints_paused_total[1h]))'), legend: 'in an hour' }],
      'After days of failures, or a 410.',
    ),
    lines(
      'Attempt: duration',
      's',
      usual('recording_webhook_attempt_duration_seconds'),
      'A slow endpoint keeps a slot.',
      { warn: 5 },
    ),
    lines('Slots in use', 'percentunit', slotsInUse('webhook'), 'At 1, events wait for a slot.', { warn: 0.9 }),
    lines(
      'The oldest due event',
      's',
      [{ expr: 'max by (recording_step) (recording_step_age_seconds{recording_step="webhook"})', legend: 'due' }],
      'Without endpoints that fail or are busy with their own events.',
      { warn: 60, bad: 300, runbook: 'WebhookWaits' },
    ),
  ],
};
