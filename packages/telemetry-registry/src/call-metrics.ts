import { CALL_SECONDS, GROUP, type MetricDefinition, OUTCOME, STEP_SECONDS, TOPIC } from './metric.ts';

/** Metrics of requests, RPCs and messages, between the services and to other servers. */
export const CALLS = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time until the gateway, or the upload server of submissions, answered.',
    attributes: {
      'http.request.method': 'the known methods, else `_OTHER`',
      'http.route': 'the routes of the API; absent if none matched',
      'http.response.status_code': 'the status; absent if the client disconnected before',
      'url.scheme': '`http`, `https`',
      'network.protocol.version': '`1.0`, `1.1`, `2`',
      'error.type': 'a status from 500 on',
    },
    optional: ['http.route', 'http.response.status_code', 'error.type'],
    buckets: CALL_SECONDS,
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    description:
      'The time until the headers of an answer from the object store, a speech endpoint or an owner’s endpoint arrived.',
    attributes: {
      'recording.peer': '`store`, `speech`, `endpoint`',
      'http.response.status_code': 'the status, else `_OTHER`; absent without an answer',
      'error.type': 'a status from 400 on, except 404 of the store; `unreachable` or `timeout` without an answer',
    },
    optional: ['http.response.status_code', 'error.type'],
    buckets: CALL_SECONDS,
  },
  'recording.peer.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'The age of the oldest unanswered request to the object store, a speech endpoint or an owner’s endpoint, or of the oldest unanswered database command; 0 without one.',
    attributes: { 'recording.peer': '`store`, `speech`, `endpoint`, `database`' },
  },
  'rpc.server.call.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The duration of an RPC.',
    attributes: {
      'rpc.method': 'the RPCs of `proto/`, as `package.Service/Method`',
      'rpc.status_code': 'the names of gRPC’s statuses',
    },
    buckets: CALL_SECONDS,
  },
  'db.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The duration of a MongoDB command.',
    attributes: {
      'db.operation.name': 'the commands that the services use, such as `find` and `update`, else `_OTHER`',
      'error.type': '`failed`; absent after a success',
    },
    optional: ['error.type'],
    buckets: CALL_SECONDS,
  },
  'messaging.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time from a send to Kafka to its acknowledgement.',
    attributes: { ...TOPIC, ...OUTCOME },
    buckets: CALL_SECONDS,
  },
  'messaging.client.sent.messages': {
    kind: 'counter',
    unit: '{message}',
    description: 'Events sent to Kafka; `failed`: Kafka did not acknowledge them, and they are retried.',
    attributes: { ...TOPIC, ...OUTCOME },
  },
  'messaging.process.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'The time of one attempt of a consumer to handle an event.',
    attributes: { ...TOPIC, ...GROUP, 'recording.outcome': '`ok`, `failed`' },
    buckets: STEP_SECONDS,
  },
  'recording.consumer.lag': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Events in a topic that a group has not handled. One process of submissions reads it.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.consumer.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'The time for which the oldest unhandled event of a group has been in its topic, as seen by the process that reads it; 0 without one. One process of submissions reads it.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.consumer.members': {
    kind: 'gauge',
    unit: '{consumer}',
    description:
      'Consumers of this process that are in their group and had a heartbeat within half a minute; 0 means that none works.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.requests.shed': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests that a limit refused with 429 or 503, and connections that a limit closed.',
    attributes: {
      'recording.reason':
        '`rate` (too many calls), `connection` (too many of one address: closed), `busy` (the process is behind), `upload`, `video`, `export`, `list`, `search` (too many at once)',
    },
  },
  'recording.kafka.connected': {
    kind: 'gauge',
    unit: '{connection}',
    description:
      '1 if the last send to Kafka succeeded, or if the last connection attempt succeeded and no send followed it; else 0.',
    attributes: {},
  },
  'recording.database.primary': {
    kind: 'gauge',
    unit: '{primary}',
    description: '1 if this process knows a MongoDB primary for writes; else 0.',
    attributes: {},
  },
} as const satisfies Record<string, MetricDefinition>;
