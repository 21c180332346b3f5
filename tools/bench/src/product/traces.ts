import { SPAN_KIND, type Span } from '@recording-request/demo/otlp-json';
import { startTraceReceiver, traceVariables } from '@recording-request/demo/trace-receiver';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';

/** When what happened to a clip, by the spans of its trace, in milliseconds since 1970. */
export interface Moments {
  /** The write that makes it a submission has ended. */
  stored: number;
  /** The webhooks service began with the event. */
  taken: number;
  /** The write that records its media has ended. */
  processed: number;
  /** How long the speech server was waited for. */
  speechMs: number;
  /** The write that records its transcript has ended. */
  transcribed: number;
  /** All of its trace, as far as it has come by then. */
  spans: readonly Span[];
}

/** Receives the spans of a product, which tell what happens to a clip without asking for it. */
export interface Traces extends AsyncDisposable {
  /** What the product is started with. */
  env: Record<string, string>;
  serviceEnv: Partial<Record<ServiceName, Record<string, string>>>;
  /** Resolves once the clip of this upload is transcribed; forgets all spans then. */
  momentsOf(uploadUrl: string, signal: AbortSignal): Promise<Moments>;
}

const LIMIT_MS = 60_000;
const LOOK_MS = 200;
// Nearly as rarely as by default (five seconds): encoding and sending them would fall into each landing that is measured.
export const SENT_AFTER_MS = 3_000;

export async function startTraces(): Promise<Traces> {
  const receiver = await startTraceReceiver();
  return {
    env: { ...traceVariables(receiver.url), OTEL_BSP_SCHEDULE_DELAY: String(SENT_AFTER_MS) },
    serviceEnv: Object.fromEntries(SERVICES.map(name => [name, { OTEL_SERVICE_NAME: name }])),
    async momentsOf(uploadUrl, signal) {
      const uploadId = new URL(uploadUrl).pathname.split('/').at(-1)!;
      const found = async () => momentsIn(receiver.spans, uploadId);
      const moments = await waitFor('the trace of a clip', found, { timeoutMs: LIMIT_MS, intervalMs: LOOK_MS, signal });
      receiver.spans.length = receiver.bodies.length = 0;
      return moments;
    },
    [Symbol.asyncDispose]: () => receiver.stop(),
  };
}

/** Undefined while a span is missing. */
function momentsIn(spans: readonly Span[], uploadId: string): Moments | undefined {
  const root = spans.find(
    ({ service, kind, attributes }) =>
      service === 'gateway' &&
      kind === SPAN_KIND.server &&
      attributes['http.request.method'] === 'PATCH' &&
      Object.values(attributes).some(value => String(value).includes(`/uploads/${uploadId}`)),
  );
  if (!root) return undefined;
  const own = spans.filter(({ traceId }) => traceId === root.traceId);
  const consumer = (service: string, type: string) =>
    own.find(
      span =>
        span.service === service &&
        span.kind === SPAN_KIND.consumer &&
        span.attributes['recording.event.type'] === type,
    );
  const writeUnder = (parent: Span | undefined) =>
    firstEnd(own.filter(span => isWrite(span) && parent && span.parentSpanId === parent.spanId));
  const speech = own.find(({ name }) => name === 'speech');
  const [stored, taken, processed, transcribed] = [
    firstEnd(own.filter(isWrite)),
    consumer('webhooks', 'submission.completed')?.startMs,
    writeUnder(consumer('submissions', 'media.processed')),
    writeUnder(consumer('submissions', 'transcript.completed')),
  ];
  if (!speech || [stored, taken, processed, transcribed].includes(undefined)) return undefined;
  const found = { stored, taken, processed, transcribed } as Record<
    'stored' | 'taken' | 'processed' | 'transcribed',
    number
  >;
  return { ...found, speechMs: speech.endMs - speech.startMs, spans: own };
}

/** A write to the collection of clips. */
const isWrite = ({ service, attributes }: Span): boolean =>
  service === 'submissions' &&
  attributes['db.collection.name'] === 'submissions' &&
  /^(?:insert|update)$/.test(String(attributes['db.operation.name']));

const firstEnd = (spans: readonly Span[]): number | undefined =>
  spans.length === 0 ? undefined : Math.min(...spans.map(({ endMs }) => endMs));
