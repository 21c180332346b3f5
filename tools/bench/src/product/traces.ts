import { SPAN_KIND, type Span } from '@recording-request/demo/otlp-json';
import { startTraceReceiver, traceVariables } from '@recording-request/demo/trace-receiver';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';

/** The times of a clip's steps, read from the spans of its trace, in milliseconds since 1970. */
export interface Moments {
  /** End of the write that makes the upload a submission. */
  stored: number;
  /** End of the write that records the media. */
  processed: number;
  /** Duration of the request to the speech server, in milliseconds. */
  speechMs: number;
  /** End of the write that records the transcript. */
  transcribed: number;
}

/** Receives the spans of a product. They show the progress of a clip without extra requests. */
export interface Traces extends AsyncDisposable {
  env: Record<string, string>;
  serviceEnv: Partial<Record<ServiceName, Record<string, string>>>;
  /** Resolves when the clip of this upload has a transcript. Then drops all spans. */
  momentsOf(uploadUrl: string, signal: AbortSignal): Promise<Moments>;
}

const LIMIT_MS = 60_000;
const LOOK_MS = 200;
// Close to the default of five seconds, so that only some of the measured landings overlap with an export of spans.
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

/** Returns undefined while a span is missing. */
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
  const consumer = (type: string) =>
    own.find(
      span =>
        span.service === 'submissions' &&
        span.kind === SPAN_KIND.consumer &&
        span.attributes['recording.event.type'] === type,
    );
  const writeUnder = (parent: Span | undefined) =>
    firstEnd(own.filter(span => isWrite(span) && parent && span.parentSpanId === parent.spanId));
  const speech = own.find(({ name }) => name === 'speech');
  const [stored, processed, transcribed] = [
    firstEnd(own.filter(isWrite)),
    writeUnder(consumer('media.processed')),
    writeUnder(consumer('transcript.completed')),
  ];
  if (!speech || stored === undefined || processed === undefined || transcribed === undefined) return undefined;
  return { stored, processed, transcribed, speechMs: speech.endMs - speech.startMs };
}

/** A write to the collection of clips. */
const isWrite = ({ service, attributes }: Span): boolean =>
  service === 'submissions' &&
  attributes['db.collection.name'] === 'submissions' &&
  /^(?:insert|update)$/.test(String(attributes['db.operation.name']));

const firstEnd = (spans: readonly Span[]): number | undefined =>
  spans.length === 0 ? undefined : Math.min(...spans.map(({ endMs }) => endMs));
