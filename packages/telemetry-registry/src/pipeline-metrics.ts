import { CALL_SECONDS, type MetricDefinition, OUTCOME, RATIOS, STEP_SECONDS } from './metric.ts';

const KIND = { 'recording.job.kind': '`media`, `transcript`' } as const;
const STEP = { 'recording.step': '`landing`, `media`, `transcript`, `webhook`' } as const;
const ATTEMPT_OUTCOME = '`delivered`, `refused` (a status other than 2xx), `unreachable`';
const PROGRAM = { 'process.executable.name': '`ffmpeg`, `ffprobe`' } as const;

/** Metrics of a clip's pipeline: upload, landing, media, transcript and webhooks. */
export const PIPELINE = {
  'recording.uploads.landed': {
    kind: 'counter',
    unit: '{upload}',
    description:
      'Uploads that ended: `landed` is a clip; `refused` and `failed` were told to the contributor and the operator.',
    attributes: { 'recording.end': '`landed`, `refused`, `failed`, `retried`, `lost`' },
  },
  'recording.landing.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long one attempt to make a clip of an upload took.',
    attributes: { 'recording.end': 'as above' },
    buckets: STEP_SECONDS,
  },
  'recording.media.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'From the landing of a clip to its thumbnails and audio, as the owner sees them.',
    attributes: OUTCOME,
    buckets: STEP_SECONDS,
  },
  'recording.transcript.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'From the landing of a clip to its first transcript.',
    attributes: OUTCOME,
    buckets: STEP_SECONDS,
  },
  'recording.clips': {
    kind: 'gauge',
    unit: '{clip}',
    description: 'Clips and uploads by their state; 10,000 means 10,000 or more. Read by one process of submissions.',
    attributes: {
      'recording.clip.state':
        'of uploads `uploading`, `finishing`; of clips’ media `processing`, `ready`, `media_failed`; of their transcripts `transcribing`, `transcribed`, `transcript_failed`',
    },
  },
  'recording.clips.stuck': {
    kind: 'gauge',
    unit: '{clip}',
    description:
      'Clips that have waited in a step for longer than `STUCK_AFTER_SECONDS` (ten minutes); 10,000 means 10,000 or more. Of webhooks: events that were due for so long and were not sent.',
    attributes: STEP,
  },
  'recording.step.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long the oldest clip has waited in a step; 0 where none does. What never ends is in no histogram. Of webhooks: how long an event has been due that was not sent; one that an endpoint refused is due when it is to be tried again.',
    attributes: STEP,
  },
  'recording.jobs': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs by their state; 10,000 means 10,000 or more.',
    attributes: { ...KIND, 'recording.job.state': '`waiting`, `running`' },
  },
  'recording.jobs.created': {
    kind: 'counter',
    unit: '{job}',
    description: 'Jobs that were created: one for the media of each clip, one for each transcript that was asked for.',
    attributes: KIND,
  },
  'recording.job.age': {
    kind: 'gauge',
    unit: 's',
    description: 'How long the job that has been due longest waits for a worker; 0 where none waits.',
    attributes: KIND,
  },
  'recording.job.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long a worker took for a job, once.',
    attributes: { ...KIND, 'recording.outcome': '`ok`, also where the clip is at fault; `again`: it is tried again' },
    buckets: STEP_SECONDS,
  },
  'recording.ffmpeg.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long ffmpeg or ffprobe ran, once.',
    attributes: {
      ...PROGRAM,
      'recording.purpose':
        'of ffmpeg `all` (a clip’s files in one run), `remux`, `thumbnails`, `audio`, `sound`; of ffprobe `packets`, `frame`',
      'recording.outcome': '`ok`, `failed`, also where the clip is at fault',
    },
    buckets: STEP_SECONDS,
  },
  'recording.ffmpeg.cpu.time': {
    kind: 'counter',
    unit: 's',
    description: 'CPU time of ffmpeg and ffprobe, however they ended.',
    attributes: PROGRAM,
  },
  'recording.media.ratio': {
    kind: 'histogram',
    unit: '1',
    description:
      'Seconds that making the files of a clip took, for each second of the clip: ffmpeg and ffprobe, without transfers.',
    attributes: {},
    buckets: RATIOS,
  },
  'recording.speech.ratio': {
    kind: 'histogram',
    unit: '1',
    description: 'Seconds of the speech endpoint for each second of sound.',
    attributes: {},
    buckets: RATIOS,
  },
  'recording.outbox.age': {
    kind: 'gauge',
    unit: 's',
    description: 'How long the oldest event that is not published has waited; 0 where none does.',
    attributes: {},
  },
  'recording.outbox.depth': {
    kind: 'gauge',
    unit: '{event}',
    description: 'Clips whose events are not published; 10,000 means 10,000 or more.',
    attributes: {},
  },
  'recording.dead_letters': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records that no consumer could handle and nobody has replayed or dropped; 1,000 means 1,000 or more.',
    attributes: {},
  },
  'recording.webhook.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts to deliver an event.',
    attributes: { 'recording.outcome': ATTEMPT_OUTCOME, 'recording.attempt': '`first`, `later`' },
  },
  'recording.webhook.attempt.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long owners’ endpoints took for an event.',
    attributes: { 'recording.outcome': ATTEMPT_OUTCOME },
    buckets: CALL_SECONDS,
  },
  'recording.webhook.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'From an event to its delivery, attempts that failed included.',
    attributes: {},
    buckets: STEP_SECONDS,
  },
  'recording.webhook.endpoints': {
    kind: 'gauge',
    unit: '{endpoint}',
    description: 'Owners’ endpoints by their state; 10,000 means 10,000 or more. Read by one process of webhooks.',
    attributes: {
      'recording.endpoint.state': '`ok`, `failing` (since its last success), `paused` (until its owner acts)',
    },
  },
  'recording.webhook.endpoints.paused': {
    kind: 'counter',
    unit: '{endpoint}',
    description: 'Endpoints that failed for so long that nothing is sent until their owner acts.',
    attributes: {},
  },
} as const satisfies Record<string, MetricDefinition>;
