/**
 * Every form of span of the services. Attributes have the names of OpenTelemetry's semantic conventions where they have one; our own names
 * begin with `recording.`. Braces in a name are placeholders. docs/spans.md is generated from this file.
 */
export interface SpanDefinition {
  /** Its possible kinds. */
  kinds: readonly SpanKindName[];
  description: string;
  /** What each attribute means. */
  attributes: Readonly<Record<string, string>>;
  /** `us`, or the instrumentation that makes it. */
  by: 'us' | Instrumentation;
}

export type SpanKindName = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
export type Instrumentation = 'undici';

const ERROR = { 'error.type': 'the name or the code of the error; absent where it went well' };
const SERVER = { 'server.address': 'the host that was asked', 'server.port': 'its port' };
const OUTCOME = { 'recording.outcome': '`ok`, `failed`' };
const ATTEMPT = { 'recording.attempt': 'which attempt it is, from 1' };
const PROGRAM = {
  'process.executable.name': '`ffmpeg`, `ffprobe`',
  'process.exit.code': 'absent after a signal',
  'recording.exit.signal': 'the signal that ended it; absent without one',
  'recording.cpu.seconds':
    'of user and system, of the program; of programs that end in the same moment, the first has the sum',
  'recording.bytes.in': 'bytes that it was given to read',
  ...ERROR,
};
const EVENT = {
  'messaging.system': '`kafka`',
  'messaging.operation.name': '`send`, `process`',
  'messaging.destination.name': 'the topic, with the prefix of the installation',
  'messaging.destination.partition.id': 'the partition',
  'messaging.kafka.offset': 'the offset of the record; of one that was not acknowledged, none',
  'messaging.batch.message_count': 'how many records were sent, or fetched, together',
  'messaging.message.id': 'the id of the event',
  'recording.event.type': 'the type of the event',
  ...ERROR,
};
const HTTP = {
  'http.request.method': 'the known methods, else `_OTHER`',
  'http.request.method_original': 'as it was sent, where the library names it so',
  'http.response.status_code': 'the status',
  'network.peer.address': 'the address of the other side',
  'network.peer.port': 'its port',
  'network.protocol.version': '`1.0`, `1.1`, `2`',
  'url.scheme': '`http`, `https`',
  'url.path': 'the path, without tokens; of requests that services send over HTTP, nothing',
  'url.query': 'the query, without tokens and signatures; of requests that services send over HTTP, nothing',
  'user_agent.original': 'as the client named itself',
  ...SERVER,
  ...ERROR,
};

export const SPANS = {
  '{method} {route}': {
    kinds: ['server'],
    by: 'us',
    description: 'A request to the gateway, or to the door for uploads; without a route where none matched.',
    attributes: {
      ...HTTP,
      'http.route': 'the route',
      'client.address': 'who asked, behind the proxies that are trusted',
    },
  },
  '{method}': {
    kinds: ['client'],
    by: 'undici',
    description:
      'A request that passes an upload on, or asks a speech endpoint. What the object store is asked is an operation.',
    attributes: { ...HTTP, 'url.full': 'scheme, host and port: the rest may have a secret' },
  },
  'ask endpoint': {
    kinds: ['client'],
    by: 'us',
    description: 'A request to an owner’s endpoint, to the end of its answer.',
    attributes: {
      'http.request.method': '`POST`',
      'http.response.status_code': 'the status; absent without an answer',
      'url.full': 'scheme, host and port: an owner’s endpoint may have a secret in its path',
      ...SERVER,
      ...ERROR,
    },
  },
  '{package.Service/Method}': {
    kinds: ['client', 'server'],
    by: 'us',
    description: 'A call from service to service, on both sides.',
    attributes: {
      'rpc.system.name': '`grpc`',
      'rpc.method': 'the RPC, as `package.Service/Method`',
      'rpc.status_code': 'the name of gRPC’s status',
      'recording.error.message': 'the sentence of a call that was not answered with `OK`',
      ...SERVER,
      'error.type': 'the status again, where its caller could not have done better',
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
      'db.query.text': 'the fields that it asks for, without values',
      'db.response.status_code': 'the code of a failure',
      ...SERVER,
      ...ERROR,
    },
  },
  'store {operation}': {
    kinds: ['client'],
    by: 'us',
    description:
      'An operation on the object store, with all the requests that it takes; reading, until the last byte has come.',
    attributes: {
      'recording.peer': '`store`',
      'aws.s3.bucket': 'the bucket',
      'http.request.body.size': 'bytes that were stored',
      'http.response.body.size': 'bytes that were asked for; its reader may have stopped before',
      'http.response.status_code': 'the status, where one request is all',
      'recording.objects': 'how many objects were named or listed',
      ...SERVER,
      ...ERROR,
    },
  },
  'send {topic}': {
    kinds: ['producer'],
    by: 'us',
    description:
      'An event on its way to Kafka, to the acknowledgement; in the trace of what caused it, however late it is sent. Of sends that failed the first three of an event are kept.',
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
    description: 'An attempt to make a clip of an upload.',
    attributes: { 'recording.end': '`landed`, `refused`, `lost`: another process has it', ...ERROR },
  },
  'resume landing': {
    kinds: ['internal'],
    by: 'us',
    description: 'The sweeper takes up a landing whose request is gone, or that failed.',
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
      'recording.bytes.out': 'bytes of the files that it wrote',
    },
  },
  ffprobe: {
    kinds: ['internal'],
    by: 'us',
    description: 'A run of ffprobe.',
    attributes: {
      ...PROGRAM,
      'recording.purpose': '`packets`, `frame`',
      'recording.bytes.out': 'bytes that it printed',
    },
  },
  'sound levels': {
    kinds: ['internal'],
    by: 'us',
    description: 'ffmpeg decodes the sound of a clip, which is measured as it comes.',
    attributes: { ...PROGRAM, 'recording.purpose': '`sound`', 'recording.bytes.out': 'bytes of samples' },
  },
  speech: {
    kinds: ['internal'],
    by: 'us',
    description:
      'One attempt to have a sound transcribed, on another machine: its processor time is not known here, and how it ended is `error.type`.',
    attributes: {
      'recording.peer': '`speech`',
      'gen_ai.request.model': 'the model',
      'recording.bytes.in': 'bytes of sound that were sent',
      'recording.sound.seconds': 'seconds of sound',
      ...ERROR,
    },
  },
  'webhook {event type}': {
    kinds: ['internal'],
    by: 'us',
    description:
      'One attempt to deliver an event. The first is a part of the trace that caused it; later ones link to that.',
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
    description:
      'A record that no consumer could handle is published again, for the group that could not; in the trace of its event.',
    attributes: {
      'messaging.destination.name': 'its topic, without prefix',
      'messaging.consumer.group.name': 'the group, without prefix',
      'recording.event.type': 'the type of the event',
      ...ERROR,
    },
  },
  redeliver: {
    kinds: ['internal'],
    by: 'us',
    description:
      'An owner has a delivery sent again. Links to the trace of its event; so does the attempt that follows.',
    attributes: {
      'recording.event.id': 'the id of the event, and of its delivery',
      'recording.event.type': 'the type of the event',
      ...ERROR,
    },
  },
  erase: {
    kinds: ['internal'],
    by: 'us',
    description: 'A clip is erased, or what came late for it. Links to the trace in which it landed.',
    attributes: ERROR,
  },
} as const satisfies Record<string, SpanDefinition>;

/** Attributes that every span may have. */
export const COMMON_ATTRIBUTES = {
  'recording.project.id': 'the project',
  'recording.submission.id': 'the submission',
  'recording.upload.id': 'the upload',
  'recording.spans.left_out':
    'how many database commands and store operations of this step have no span: of each name the first 20 have',
} as const;

export type SpanName = keyof typeof SPANS;
type Ours = { [N in SpanName]: (typeof SPANS)[N]['by'] extends 'us' ? N : never }[SpanName];
export type OwnSpanName = Ours;
/** The placeholders in a name. */
export type Placeholder<N extends string> = N extends `${string}{${infer P}}${infer Rest}`
  ? P | Placeholder<Rest>
  : never;
export type SpanAttribute<N extends SpanName> = keyof (typeof SPANS)[N]['attributes'];
