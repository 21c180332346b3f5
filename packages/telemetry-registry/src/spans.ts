/**
 * Every kind of span that the services make. Attributes use the names of OpenTelemetry's semantic conventions if a name
 * exists there; our own names begin with `recording.`. Braces in a name are placeholders. docs/spans.md is generated
 * from this file.
 */
export interface SpanDefinition {
  /** Its possible kinds. */
  kinds: readonly SpanKindName[];
  description: string;
  /** The meaning of each attribute. */
  attributes: Readonly<Record<string, string>>;
  /** `us`, or the instrumentation that makes it. */
  by: 'us' | Instrumentation;
}

export type SpanKindName = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
export type Instrumentation = 'undici';

const ERROR = { 'error.type': 'the name or the code of the error; absent after a success' };
const SERVER = { 'server.address': 'the host of the request', 'server.port': 'its port' };
const OUTCOME = { 'recording.outcome': '`ok`, `failed`' };
const ATTEMPT = { 'recording.attempt': 'the number of the attempt, from 1' };
const PROGRAM = {
  'process.executable.name': '`ffmpeg`, `ffprobe`',
  'process.exit.code': 'absent after a signal',
  'recording.exit.signal': 'the signal that ended the program; absent without one',
  'recording.cpu.seconds':
    'user and system time of the program; if several programs end at the same moment, the first has the sum',
  'recording.bytes.in': 'bytes of its input',
  ...ERROR,
};
const EVENT = {
  'messaging.system': '`kafka`',
  'messaging.operation.name': '`send`, `process`',
  'messaging.destination.name': 'the topic, with the prefix of the installation',
  'messaging.destination.partition.id': 'the partition',
  'messaging.kafka.offset': 'the offset of the record; absent if it was not acknowledged',
  'messaging.batch.message_count': 'the number of records that were sent or fetched together',
  'messaging.message.id': 'the id of the event',
  'recording.event.type': 'the type of the event',
  ...ERROR,
};
const HTTP = {
  'http.request.method': 'the known methods, else `_OTHER`',
  'http.request.method_original': 'the method as sent, if the library reports it',
  'http.response.status_code': 'the status',
  'network.peer.address': 'the address of the peer',
  'network.peer.port': 'its port',
  'network.protocol.version': '`1.0`, `1.1`, `2`',
  'url.scheme': '`http`, `https`',
  'url.path':
    'the words of the route and the ids; every other part is REDACTED, and a token loses its secret. Empty for HTTP requests that services send',
  'url.query':
    'the names in the query; each value, and each text that is no name, is REDACTED. Empty for HTTP requests that services send',
  'user_agent.original': 'the client’s own name',
  ...SERVER,
  ...ERROR,
};

export const SPANS = {
  '{method} {route}': {
    kinds: ['server'],
    by: 'us',
    description: 'A request to the gateway, or to the upload server of submissions; without a route if none matched.',
    attributes: {
      ...HTTP,
      'http.route': 'the route',
      'client.address': 'the client’s address, behind the trusted proxies',
    },
  },
  '{method}': {
    kinds: ['client'],
    by: 'undici',
    description:
      'A request that forwards an upload, or a request to a speech endpoint. A request to the object store is an operation.',
    attributes: { ...HTTP, 'url.full': 'scheme, host and port: the rest may contain a secret' },
  },
  'ask endpoint': {
    kinds: ['client'],
    by: 'us',
    description: 'A request to an owner’s endpoint, until the end of its answer.',
    attributes: {
      'http.request.method': '`POST`',
      'http.response.status_code': 'the status; absent without an answer',
      'url.full': 'scheme, host and port: the path may contain a secret',
      ...SERVER,
      ...ERROR,
    },
  },
  '{package.Service/Method}': {
    kinds: ['client', 'server'],
    by: 'us',
    description: 'A call between services, on both sides.',
    attributes: {
      'rpc.system.name': '`grpc`',
      'rpc.method': 'the RPC, as `package.Service/Method`',
      'rpc.status_code': 'the name of gRPC’s status',
      'recording.error.message': 'the sentence of a failed call',
      ...SERVER,
      'error.type': 'the status again, if the caller could not prevent the failure',
    },
  },
  '{operation} {collection}': {
    kinds: ['client'],
    by: 'us',
    description: 'A command of the MongoDB driver.',
    attributes: {
      'db.system.name': '`mongodb`',
      'db.namespace': 'the database',
      'db.operation.name': 'the command',
      'db.collection.name': 'the collection',
      'db.query.text': 'the fields of its query, without values',
      'db.response.status_code': 'the code of a failure',
      ...SERVER,
      ...ERROR,
    },
  },
  'store {operation}': {
    kinds: ['client'],
    by: 'us',
    description:
      'An operation on the object store with all its requests; a read lasts until the last byte has arrived.',
    attributes: {
      'recording.peer': '`store`',
      'aws.s3.bucket': 'the bucket',
      'http.request.body.size': 'the stored bytes',
      'http.response.body.size': 'the requested bytes; the reader may have stopped earlier',
      'http.response.status_code': 'the status, if the operation is one request',
      'recording.objects': 'the number of named or listed objects',
      ...SERVER,
      ...ERROR,
    },
  },
  'send {topic}': {
    kinds: ['producer'],
    by: 'us',
    description:
      'The send of an event to Kafka, until the acknowledgement, in the trace of the event’s cause. Only the first three failed sends of each event are kept.',
    attributes: EVENT,
  },
  'process {topic}': {
    kinds: ['consumer'],
    by: 'us',
    description: 'An attempt of a consumer to handle an event.',
    attributes: { ...EVENT, 'messaging.consumer.group.name': 'the consumer group', ...ATTEMPT, ...OUTCOME },
  },
  land: {
    kinds: ['internal'],
    by: 'us',
    description: 'An attempt to make a clip from an upload.',
    attributes: { 'recording.end': '`landed`, `refused`, or `lost`: another process has the upload', ...ERROR },
  },
  'resume landing': {
    kinds: ['internal'],
    by: 'us',
    description: 'The sweeper continues a landing that failed or whose request has ended.',
    attributes: { ...ATTEMPT, ...ERROR },
  },
  'media job': {
    kinds: ['internal'],
    by: 'us',
    description: 'An attempt at the media of a clip.',
    attributes: ERROR,
  },
  'transcript job': {
    kinds: ['internal'],
    by: 'us',
    description: 'An attempt at the transcript of a clip.',
    attributes: ERROR,
  },
  ffmpeg: {
    kinds: ['internal'],
    by: 'us',
    description: 'A run of ffmpeg.',
    attributes: {
      ...PROGRAM,
      'recording.purpose': '`all`, `remux`, `thumbnails`, `audio`',
      'recording.bytes.out': 'bytes of the written files',
    },
  },
  ffprobe: {
    kinds: ['internal'],
    by: 'us',
    description: 'A run of ffprobe.',
    attributes: {
      ...PROGRAM,
      'recording.purpose': '`packets`, `frame`',
      'recording.bytes.out': 'bytes of its output',
    },
  },
  'sound levels': {
    kinds: ['internal'],
    by: 'us',
    description: 'A run of ffmpeg that decodes the sound of a clip, which is measured during the run.',
    attributes: { ...PROGRAM, 'recording.purpose': '`sound`', 'recording.bytes.out': 'bytes of samples' },
  },
  speech: {
    kinds: ['internal'],
    by: 'us',
    description:
      'One attempt to transcribe a sound on another machine. Its CPU time is unknown; `error.type` has its outcome.',
    attributes: {
      'recording.peer': '`speech`',
      'gen_ai.request.model': 'the model',
      'recording.bytes.in': 'the sent bytes of sound',
      'recording.sound.seconds': 'seconds of sound',
      ...ERROR,
    },
  },
  'webhook {event type}': {
    kinds: ['internal'],
    by: 'us',
    description:
      'One attempt to deliver an event. The first attempt belongs to the trace of its cause; later ones link to it.',
    attributes: {
      'recording.peer': '`endpoint`',
      'recording.event.id': 'the id of the event, and of its delivery',
      'recording.event.type': 'the type of the event',
      ...ATTEMPT,
      ...ERROR,
    },
  },
  'replay dead letter': {
    kinds: ['internal'],
    by: 'us',
    description: 'A replay of a record for the group that could not handle it, in the trace of its event.',
    attributes: {
      'messaging.destination.name': 'its topic, without prefix',
      'messaging.consumer.group.name': 'the consumer group, without prefix',
      'recording.event.type': 'the type of the event',
      ...ERROR,
    },
  },
  redeliver: {
    kinds: ['internal'],
    by: 'us',
    description: 'An owner requests another delivery. This span and the next attempt link to the trace of the event.',
    attributes: {
      'recording.event.id': 'the id of the event, and of its delivery',
      'recording.event.type': 'the type of the event',
      ...ERROR,
    },
  },
  erase: {
    kinds: ['internal'],
    by: 'us',
    description:
      'The erasure of a clip, or of data that arrived late for it. Links to the trace in which the clip landed.',
    attributes: ERROR,
  },
} as const satisfies Record<string, SpanDefinition>;

/** Attributes that every span may have. */
export const COMMON_ATTRIBUTES = {
  'recording.project.id': 'the project',
  'recording.submission.id': 'the submission',
  'recording.upload.id': 'the upload',
  'recording.spans.left_out':
    'the number of database commands and store operations of this step that have no span: only the first 20 of each name have one',
} as const;

export type SpanName = keyof typeof SPANS;
type Ours = { [N in SpanName]: (typeof SPANS)[N]['by'] extends 'us' ? N : never }[SpanName];
export type OwnSpanName = Ours;
/** The placeholders in a name. */
export type Placeholder<N extends string> = N extends `${string}{${infer P}}${infer Rest}`
  ? P | Placeholder<Rest>
  : never;
export type SpanAttribute<N extends SpanName> = keyof (typeof SPANS)[N]['attributes'];
