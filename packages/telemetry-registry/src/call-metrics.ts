import { CALL_SECONDS, GROUP, type MetricDefinition, OUTCOME, STEP_SECONDS, TOPIC } from './metric.ts';

/** Metrics of requests, RPCs and messages, between the services and to other servers. */
export const CALLS = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long the gateway and the door for uploads took to answer.',
    attributes: {
      'http.request.method': 'the known methods, else `_OTHER`',
      'http.route': 'the routes of the API; absent where none matched',
      'http.response.status_code': 'a status; absent where the client went away before',
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
      'How long the object store, speech endpoints and owners’ endpoints took until the headers of their answer were there.',
    attributes: {
      'recording.peer': '`store`, `speech`, `endpoint`',
      'http.response.status_code': 'a status, else `_OTHER`; absent where no answer came',
      'error.type': 'a status from 400 on, save 404 of the store; `unreachable` or `timeout` where no answer came',
    },
    optional: ['http.response.status_code', 'error.type'],
    buckets: CALL_SECONDS,
  },
  'recording.peer.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'The age of the oldest request to the object store, a speech endpoint or an owner’s endpoint, or command of the database, that has no answer yet; 0 while none waits.',
    attributes: { 'recording.peer': '`store`, `speech`, `endpoint`, `database`' },
  },
  'rpc.server.call.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long an RPC took, to its end.',
    attributes: {
      'rpc.method': 'the RPCs of `proto/`, as `package.Service/Method`',
      'rpc.status_code': 'the names of gRPC’s statuses',
    },
    buckets: CALL_SECONDS,
  },
  'db.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long MongoDB took for a command.',
    attributes: {
      'db.operation.name': 'the commands that the services use, such as `find` and `update`, else `_OTHER`',
      'error.type': '`failed`; absent where it succeeded',
    },
    optional: ['error.type'],
    buckets: CALL_SECONDS,
  },
  'messaging.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long a send to Kafka took, to its acknowledgement.',
    attributes: { ...TOPIC, ...OUTCOME },
    buckets: CALL_SECONDS,
  },
  'messaging.client.sent.messages': {
    kind: 'counter',
    unit: '{message}',
    description: 'Events that were sent to Kafka; `failed`: it did not acknowledge them, and they are sent again.',
    attributes: { ...TOPIC, ...OUTCOME },
  },
  'messaging.process.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long a consumer took to handle an event, once.',
    attributes: { ...TOPIC, ...GROUP, 'recording.outcome': '`ok`, `failed`' },
    buckets: STEP_SECONDS,
  },
  'recording.consumer.lag': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Events that a topic has and a group has not handled. Read by one process of submissions.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.consumer.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long the oldest event that a group has not handled has been in its topic, as far as the process that reads it has seen; 0 where none is. Read by one process of submissions.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.consumer.members': {
    kind: 'gauge',
    unit: '{consumer}',
    description:
      'Consumers of this process that are in their group and were heard there within half a minute; 0: standing still.',
    attributes: { ...TOPIC, ...GROUP },
  },
  'recording.requests.shed': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests that a limit refused, with 429 or 503, and connections that one closed.',
    attributes: {
      'recording.reason':
        '`rate` (too many calls), `connection` (too many of one address: closed), `busy` (the process is behind), `upload`, `video`, `export`, `list`, `search` (too many at once)',
    },
  },
  'recording.kafka.connected': {
    kind: 'gauge',
    unit: '{connection}',
    description: '1 where the last send to Kafka, or the connection if none was made since, succeeded; else 0.',
    attributes: {},
  },
  'recording.database.primary': {
    kind: 'gauge',
    unit: '{primary}',
    description: '1 where this process knows a primary of MongoDB to write to; else 0.',
    attributes: {},
  },
} as const satisfies Record<string, MetricDefinition>;
