/**
 * Every metric that the services emit. Where the semantic conventions of OpenTelemetry have a name for it, it has that name;
 * our own begin with `recording.`. No attribute is an id, a token or a text: `values` says what bounds it, and with it
 * the number of series. docs/metrics.md is made from this file.
 */
export interface MetricDefinition {
  kind: 'histogram' | 'counter' | 'gauge';
  /** As UCUM writes it: `s`, `1`, `{event}`. */
  unit: string;
  description: string;
  /** Of each attribute, its values or what bounds them. */
  attributes: Readonly<Record<string, string>>;
  /** The upper bounds of a histogram's buckets, in its unit. */
  buckets?: readonly number[];
  /** Emitted by an instrumentation that others wrote. */
  byLibrary?: true;
}

// Of requests and calls, and of the way of a clip through the pipeline.
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const STEP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600];

const KIND = { 'recording.job.kind': '`media`, `transcript`' };
const OUTCOME = { 'recording.outcome': '`ok`, `failed`' };
const TOPIC = { 'messaging.destination.name': 'the topics, with the prefix of the installation' };
const GROUP = { 'messaging.consumer.group.name': 'the consumer groups, likewise' };

export const METRICS = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long the gateway and the door for uploads took to answer.',
    attributes: {
      'http.request.method': 'the known methods, else `_OTHER`',
      'http.route': 'the routes of the API; absent where none matched',
      'http.response.status_code': 'a status',
      'url.scheme': '`http`, `https`',
      'network.protocol.version': '`1.0`, `1.1`, `2`',
      'error.type': 'a status from 500 on, or the name of an error',
    },
    buckets: CALL_SECONDS,
    byLibrary: true,
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long the object store, speech endpoints and owners’ endpoints took to answer.',
    attributes: {
      'http.request.method': 'the known methods, else `_OTHER`',
      'http.response.status_code': 'a status',
      'error.type': 'a status from 400 on, or the name of an error',
    },
    buckets: CALL_SECONDS,
    byLibrary: true,
  },
  'rpc.server.call.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long an RPC took, to its end.',
    attributes: {
      'rpc.method': 'the RPCs of `proto/`, as `package.Service/Method`',
      'rpc.response.status_code': 'the names of gRPC’s statuses',
    },
    buckets: CALL_SECONDS,
  },
  'messaging.process.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long a consumer took to handle an event, once.',
    attributes: { ...TOPIC, ...GROUP, ...OUTCOME },
    buckets: STEP_SECONDS,
  },
  'messaging.client.sent.messages': {
    kind: 'counter',
    unit: '{message}',
    description: 'Events that were sent to Kafka; `failed`: it did not acknowledge them, and they are sent again.',
    attributes: { ...TOPIC, ...OUTCOME },
  },
  'recording.consumer.lag': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Events that a topic has and a group has not handled. Read by one process of submissions.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.outbox.age': {
    kind: 'gauge',
    unit: 's',
    description: 'How long the oldest event that is not published has waited; 0 where none does.',
    attributes: {},
  },
  'recording.jobs': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs by their state; 10,000 means 10,000 or more.',
    attributes: { ...KIND, 'recording.job.state': '`waiting`, `published`, `running`' },
  },
  'recording.job.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long a job has been due that waits for a worker, of the one that is due longest; 0 where none is.',
    attributes: KIND,
  },
  'recording.dead_letters': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records that no consumer could handle and nobody has replayed or dropped; 1,000 means 1,000 or more.',
    attributes: {},
  },
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
    description: 'From the landing of a clip to its transcript.',
    attributes: OUTCOME,
    buckets: STEP_SECONDS,
  },
  'recording.job.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long a worker took for a job, once.',
    attributes: { ...KIND, 'recording.outcome': '`ok`, also where the clip is at fault; `again`: it is tried again' },
    buckets: STEP_SECONDS,
  },
  'recording.webhook.attempt.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long owners’ endpoints took for an event.',
    attributes: { 'recording.outcome': '`delivered`, `refused` (a status other than 2xx), `unreachable`' },
    buckets: CALL_SECONDS,
  },
  'recording.webhook.delay': {
    kind: 'histogram',
    unit: 's',
    description: 'From an event to its delivery, attempts that failed included.',
    attributes: {},
    buckets: STEP_SECONDS,
  },
  'recording.webhook.endpoints.paused': {
    kind: 'counter',
    unit: '{endpoint}',
    description: 'Endpoints that failed for so long that nothing is sent until their owner acts.',
    attributes: {},
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;
export type MetricOf<K extends MetricDefinition['kind']> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never;
}[MetricName];
/** The attributes of a metric, each with one of its values. */
export type AttributesOf<N extends MetricName> = Record<keyof (typeof METRICS)[N]['attributes'], string>;

/** What Node itself reports, by `@opentelemetry/instrumentation-runtime-node`: the event loop, the heap, garbage collection. */
export const RUNTIME_METRICS = /^(nodejs|v8js)\./;
