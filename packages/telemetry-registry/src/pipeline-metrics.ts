import { CALL_SECONDS, type MetricDefinition, RATIOS, STEP_SECONDS } from './metric.ts';

const KIND = { 'recording.job.kind': '`media`, `transcript`' } as const;
const STEP = { 'recording.step': '`landing`, `media`, `transcript`, `webhook`' } as const;
const ATTEMPT_OUTCOME = '`delivered`, `refused` (a status other than 2xx), `unreachable`';
const CLIP_OUTCOME = { 'recording.outcome': '`ok`, `failed`, `unusable` (failed because of the clip)' } as const;
const PROGRAM = { 'process.executable.name': '`ffmpeg`, `ffprobe`' } as const;

/** Metrics of a clip's pipeline: upload, landing, media, transcript and webhooks. */
export const PIPELINE = {
  'recording.uploads.landed': {
    kind: 'counter',
    unit: '{upload}',
    description:
      'Uploads that ended. `landed` became a clip; the contributor sees `refused`, and the operator sees `failed`.',
    attributes: { 'recording.end': '`landed`, `refused`, `failed`, `retried`, `lost`' },
  },
  'recording.landing.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time of one attempt to make a clip of an upload.',
    attributes: { 'recording.end': 'as above' },
    buckets: STEP_SECONDS,
  },
  'recording.media.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'The time from the landing of a clip until the owner sees its thumbnails and audio.',
    attributes: CLIP_OUTCOME,
    buckets: STEP_SECONDS,
  },
  'recording.transcript.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'The time from the landing of a clip to its first transcript.',
    attributes: CLIP_OUTCOME,
    buckets: STEP_SECONDS,
  },
  'recording.clips': {
    kind: 'gauge',
    unit: '{clip}',
    description: 'Clips and uploads by their state; 10,000 means 10,000 or more. One process of submissions reads it.',
    attributes: {
      'recording.clip.state':
        'for uploads `uploading`, `finishing`; for clips’ media `processing`, `ready`, `media_failed`; for their transcripts `transcribing`, `transcribed`, `transcript_failed`',
    },
  },
  'recording.clips.failed': {
    kind: 'counter',
    unit: '{clip}',
    description:
      'Media and transcripts of clips that ended as `failed`. If a transcript fails because its media failed, only the media counts.',
    attributes: {
      'recording.step': '`media`, `transcript`',
      'recording.fault': '`clip`; `service` (also a server that it needs, or unknown after several attempts)',
    },
  },
  'recording.clips.stuck': {
    kind: 'gauge',
    unit: '{clip}',
    description:
      'Clips that wait in a step for longer than `STUCK_AFTER_SECONDS` (ten minutes); 10,000 means 10,000 or more. For webhooks: events that have been due for longer than this. Counts only projects whose endpoint neither fails nor is paused, and was sent no waiting event for as long.',
    attributes: STEP,
  },
  'recording.step.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'The time that the oldest clip has waited in a step; 0 without one. A histogram would not show work that never ends. For webhooks, the largest age of all projects: the time since the oldest event of the project became due, or since a waiting event of the project was sent, if that is later. Endpoints that fail or are paused do not count. So events that wait behind earlier events of their own endpoint show at most the duration of an attempt plus `WEBHOOK_POLL_MS`.',
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
    description: 'Created jobs: one for the media of each clip, one for each requested transcript.',
    attributes: KIND,
  },
  'recording.job.age': {
    kind: 'gauge',
    unit: 's',
    description: 'The time that the oldest due job has waited for a worker; 0 without one.',
    attributes: KIND,
  },
  'recording.job.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time of one attempt of a worker at a job.',
    attributes: { ...KIND, 'recording.outcome': '`ok`, also if the clip is at fault; `again`: the job is retried' },
    buckets: STEP_SECONDS,
  },
  'recording.ffmpeg.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time of one run of ffmpeg or ffprobe.',
    attributes: {
      ...PROGRAM,
      'recording.purpose':
        'for ffmpeg `all` (a clip’s files in one run), `remux`, `thumbnails`, `audio`, `sound`; for ffprobe `packets`, `frame`',
      'recording.outcome':
        '`ok`; `failed` (also if the clip is at fault or the service ended the program); `killed` (by a signal that the service did not send)',
    },
    buckets: STEP_SECONDS,
  },
  'recording.ffmpeg.run.time': {
    kind: 'counter',
    unit: 's',
    description:
      'The time of all runs of ffmpeg and ffprobe. It grows while a program runs, but not while the service is suspended.',
    attributes: PROGRAM,
  },
  'recording.ffmpeg.cpu.time': {
    kind: 'counter',
    unit: 's',
    description:
      'CPU time of all runs of ffmpeg and ffprobe, also of failed runs. It grows while a program runs. A system without `/proc` does not report it.',
    attributes: PROGRAM,
  },
  'recording.program.age': {
    kind: 'gauge',
    unit: 's',
    description: 'The age of the oldest program that the process runs; 0 without one.',
    attributes: PROGRAM,
  },
  'recording.program.stalled': {
    kind: 'gauge',
    unit: 's',
    description:
      'The longest time for which a running program has used no CPU time; 0 without one. Time does not count while the service has output of the program to read, or while the service is suspended.',
    attributes: PROGRAM,
  },
  'recording.media.ratio': {
    kind: 'histogram',
    unit: '1',
    description: 'Seconds of ffmpeg and ffprobe for the files of a clip, per second of the clip, without transfers.',
    attributes: {},
    buckets: RATIOS,
  },
  'recording.speech.ratio': {
    kind: 'histogram',
    unit: '1',
    description: 'Seconds that the speech endpoint took, per second of sound.',
    attributes: {},
    buckets: RATIOS,
  },
  'recording.outbox.age': {
    kind: 'gauge',
    unit: 's',
    description: 'The age of the oldest unpublished event; 0 without one.',
    attributes: {},
  },
  'recording.outbox.depth': {
    kind: 'gauge',
    unit: '{event}',
    description: 'Clips with unpublished events; 10,000 means 10,000 or more.',
    attributes: {},
  },
  'recording.sandboxes.age': {
    kind: 'gauge',
    unit: 's',
    description: 'How long ago the oldest sandbox ended that is not erased; 0 without one.',
    attributes: {},
  },
  'recording.dead_letters': {
    kind: 'gauge',
    unit: '{record}',
    description:
      'Records that no consumer could handle and that the operator has not replayed or dropped; 1,000 means 1,000 or more.',
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
    description: 'The time that an owner’s endpoint took for an event.',
    attributes: { 'recording.outcome': ATTEMPT_OUTCOME },
    buckets: CALL_SECONDS,
  },
  'recording.webhook.delay': {
    kind: 'histogram',
    unit: 's',
    description:
      'The time from when the first attempt at an event was possible until it began; the result does not matter. An attempt is possible when the event has happened, its endpoint neither fails nor is paused, and the endpoint has a free permit of its own (`WEBHOOK_ENDPOINT_CONCURRENCY`). First attempts at a failing endpoint, test events and events sent again by hand do not count.',
    attributes: {},
    buckets: STEP_SECONDS,
  },
  'recording.webhook.endpoints': {
    kind: 'gauge',
    unit: '{endpoint}',
    description: 'Owners’ endpoints by their state; 10,000 means 10,000 or more. One process of webhooks reads it.',
    attributes: {
      'recording.endpoint.state': '`ok`, `failing` (since its last success), `paused` (until its owner acts)',
    },
  },
  'recording.webhook.late': {
    kind: 'gauge',
    unit: '{owner}',
    description:
      'Owners with an event that has been due for over a minute, although its endpoint is neither failing, paused nor busy. Counts the owners of at most 100 endpoints. One process of webhooks reads it.',
    attributes: {},
  },
  'recording.webhook.failing': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long an endpoint has failed: the time since the first failure after its last success. Shows the ten endpoints with the longest time. A series ends when the endpoint accepts an event, gets a new address or is paused, because a paused endpoint waits for its owner. One process of webhooks reads it.',
    attributes: { 'recording.project.id': 'the project, an opaque random id; at most ten at once' },
  },
  'recording.webhook.paused': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long all webhooks have been paused, by a restore or by the operator; 0 while they are sent. During a pause, no event counts as late, and `npm run admin -- webhooks status` shows how many wait. One process of webhooks reads it.',
    attributes: {},
  },
  'recording.webhook.endpoints.paused': {
    kind: 'counter',
    unit: '{endpoint}',
    description: 'Endpoints that were paused after long failures: they get no events until their owner acts.',
    attributes: {},
  },
} as const satisfies Record<string, MetricDefinition>;
