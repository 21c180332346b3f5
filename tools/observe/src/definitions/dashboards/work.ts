import { type Dashboard, lines, orZero, type Panel, rateBy, usual } from './panel.ts';

const jobs = (kind: string, runbook: string): Panel[] => [
  lines(
    'Jobs',
    'none',
    [
      {
        expr: `max by (recording_job_state) (recording_jobs{recording_job_kind="${kind}"})`,
        legend: '{{recording_job_state}}',
      },
    ],
    '`waiting` for a worker, `running` at one.',
    { runbook },
  ),
  lines(
    'Slots in use',
    'percentunit',
    [
      {
        expr: `sum by (instance) (recording_slots_used{recording_slot_kind="${kind}"}) / sum by (instance) (recording_slots_limit{recording_slot_kind="${kind}"})`,
        legend: '{{instance}}',
      },
    ],
    'At 1, and with jobs that wait: scale it.',
    { warn: 0.9 },
  ),
  lines(
    'A job: how long',
    's',
    usual('recording_job_duration_seconds', `recording_job_kind="${kind}"`),
    'Once, at a worker, without waiting.',
  ),
  lines(
    'Jobs that ended, and that came',
    'ops',
    [
      {
        expr: rateBy('recording_outcome', `recording_job_duration_seconds_count{recording_job_kind="${kind}"}`),
        legend: '{{recording_outcome}}',
      },
      {
        expr: rateBy('recording_job_kind', `recording_jobs_created_total{recording_job_kind="${kind}"}`),
        legend: 'came',
      },
    ],
    '`again`: given back, and done again.',
    { runbook },
  ),
  lines(
    'The longest due',
    's',
    [
      {
        expr: `max by (recording_job_kind) (recording_job_age_seconds{recording_job_kind="${kind}"})`,
        legend: 'to be published',
      },
      {
        expr: `max by (recording_step) (recording_step_age_seconds{recording_step="${kind}"})`,
        legend: 'for its result',
      },
    ],
    'Of all jobs.',
    { warn: 300, bad: 900, runbook },
  ),
];

/** Thumbnails, sound, and the video itself. */
export const MEDIA: Dashboard = {
  name: 'media',
  title: 'Media',
  description: 'From the landing of a clip to its thumbnails and audio.',
  panels: [
    lines('From landing to media', 's', usual('recording_media_delay_seconds'), 'A minute is promised.', {
      warn: 30,
      bad: 60,
      runbook: 'MediaBudgetBurns',
    }),
    ...jobs('media', 'MediaWaits'),
    lines(
      'ffmpeg: seconds for a second of clip',
      'none',
      [
        {
          expr: 'sum(rate(recording_media_ratio_sum[5m])) / (sum(rate(recording_media_ratio_count[5m])) > 0)',
          legend: 'mean',
        },
      ],
      'Grows with less processor, or with other clips.',
    ),
    lines(
      'ffmpeg by purpose: time spent',
      's',
      [{ expr: rateBy('recording_purpose', 'recording_ffmpeg_duration_seconds_sum'), legend: '{{recording_purpose}}' }],
      'Seconds a second: how many run.',
      { stacked: true },
    ),
    lines(
      'ffmpeg: processor',
      's',
      [
        {
          expr: rateBy('process_executable_name', 'recording_ffmpeg_cpu_time_seconds_total'),
          legend: '{{process_executable_name}}',
        },
      ],
      'CPU seconds a second.',
    ),
    lines(
      'ffmpeg that failed',
      'ops',
      [
        {
          expr: orZero(
            rateBy('recording_purpose', 'recording_ffmpeg_duration_seconds_count{recording_outcome="failed"}'),
          ),
          legend: '{{recording_purpose}}',
        },
      ],
      'Also where the clip is at fault.',
    ),
    lines(
      'Disk left to work on',
      'percentunit',
      [{ expr: 'min by (job, instance) (recording_disk_free_ratio)', legend: '{{job}} {{instance}}' }],
      'A tenth pages somebody.',
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
      'Five minutes are promised.',
      {
        warn: 120,
        bad: 300,
        runbook: 'TranscriptBudgetBurns',
      },
    ),
    ...jobs('transcript', 'TranscriptWaits'),
    lines(
      'Speech endpoint: how long',
      's',
      usual('http_client_request_duration_seconds', 'recording_peer="speech"'),
      'Until the headers of its answer.',
      { runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech endpoint: the oldest request without an answer',
      's',
      [{ expr: 'max by (job) (recording_peer_age_seconds{recording_peer="speech"})', legend: '{{job}}' }],
      'How long it takes is known at the end only: one that does not answer shows here.',
      { warn: 30, bad: 60, runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech endpoint: errors',
      'reqps',
      [
        {
          expr: orZero(
            rateBy('error_type', 'http_client_request_duration_seconds_count{recording_peer="speech", error_type!=""}'),
          ),
          legend: '{{error_type}}',
        },
      ],
      'A status, or that no answer came.',
      { bad: 0.1, runbook: 'SpeechFailing' },
    ),
    lines(
      'Speech: seconds for a second of sound',
      'none',
      [
        {
          expr: 'sum(rate(recording_speech_ratio_sum[5m])) / (sum(rate(recording_speech_ratio_count[5m])) > 0)',
          legend: 'mean',
        },
      ],
      'Above the number of slots clips come faster than words.',
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
      'From event to delivery',
      's',
      usual('recording_webhook_delay_seconds'),
      'A minute is promised; refused attempts count.',
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
      'Of each event, first and later.',
      { runbook: 'EndpointsFailing' },
    ),
    lines(
      'Endpoints',
      'none',
      [
        {
          expr: 'max by (recording_endpoint_state) (recording_webhook_endpoints)',
          legend: '{{recording_endpoint_state}}',
        },
      ],
      '`paused` until its owner acts.',
      { runbook: 'EndpointsFailing' },
    ),
    lines(
      'Endpoints that were paused',
      'none',
      [{ expr: orZero('sum(increase(recording_webhook_endpoints_paused_total[1h]))'), legend: 'in an hour' }],
      'After days of failing, or a 410.',
    ),
    lines(
      'An attempt: how long',
      's',
      usual('recording_webhook_attempt_duration_seconds'),
      'An endpoint that is slow keeps a slot.',
      { warn: 5 },
    ),
    lines(
      'Slots in use',
      'percentunit',
      [
        {
          expr: 'sum by (instance) (recording_slots_used{recording_slot_kind="webhook"}) / sum by (instance) (recording_slots_limit{recording_slot_kind="webhook"})',
          legend: '{{instance}}',
        },
      ],
      'At 1 events wait for those of others.',
      { warn: 0.9 },
    ),
    lines(
      'The oldest that is due',
      's',
      [{ expr: 'max by (recording_step) (recording_step_age_seconds{recording_step="webhook"})', legend: 'due' }],
      'One that an endpoint refused is due at its next try.',
      { warn: 60, bad: 300, runbook: 'WebhookWaits' },
    ),
  ],
};
