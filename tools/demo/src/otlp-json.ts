/** OTLP/JSON as collectors receive it: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface OtlpValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values?: OtlpValue[] };
}
interface OtlpAttribute {
  key: string;
  value?: OtlpValue;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind?: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: OtlpAttribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}
interface OtlpTraces {
  resourceSpans?: {
    resource?: { attributes?: OtlpAttribute[] };
    scopeSpans?: { scope?: { name?: string }; spans?: OtlpSpan[] }[];
  }[];
}

export const SPAN_KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

export interface Span {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  /** Absent at the root of a trace. */
  parentSpanId?: string;
  /** The `service.name` of the sending process. */
  service: string;
  /** The instrumentation scope: a library, or our own code. */
  scope: string;
  links: { traceId: string; spanId: string }[];
  name: string;
  kind: number;
  /** Milliseconds since 1970. */
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  isError: boolean;
}

/** Returns the spans of an ExportTraceServiceRequest. Throws when the body is not one. */
export function spansOf(json: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(json) as OtlpTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name'] ?? 'unknown');
    return scopeSpans.flatMap(({ scope, spans = [] }) => spans.map(span => readSpan(span, service, scope?.name ?? '')));
  });
}

function readSpan(span: OtlpSpan, service: string, scope: string): Span {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId ? { parentSpanId: span.parentSpanId } : {}),
    service,
    scope,
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
    name: span.name,
    kind: span.kind ?? SPAN_KIND.internal,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1000,
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1000,
    attributes: attributesOf(span.attributes),
    isError: span.status?.code === 2,
  };
}

const attributesOf = (attributes: OtlpAttribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

function plain(value: OtlpValue | undefined): unknown {
  if (value?.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value?.intValue !== undefined) return Number(value.intValue);
  return value?.stringValue ?? value?.doubleValue ?? value?.boolValue;
}

interface OtlpLogs {
  resourceLogs?: {
    resource?: { attributes?: OtlpAttribute[] };
    scopeLogs?: {
      logRecords?: { traceId?: string; severityText?: string; body?: OtlpValue; attributes?: OtlpAttribute[] }[];
    }[];
  }[];
}

export interface LogRecord {
  service: string;
  /** Absent when there was no trace. */
  traceId?: string;
  level: string;
  message: string;
  attributes: Record<string, unknown>;
}

/** Returns the records of an ExportLogsServiceRequest. Throws when the body is not one. */
export function recordsOf(json: string): LogRecord[] {
  const { resourceLogs = [] } = JSON.parse(json) as OtlpLogs;
  return resourceLogs.flatMap(({ resource, scopeLogs = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name'] ?? 'unknown');
    const records = scopeLogs.flatMap(scope => scope.logRecords ?? []);
    return records.map(({ traceId, severityText = '', body, attributes }) => ({
      ...{ service, level: severityText, message: String(plain(body) ?? '') },
      ...(traceId && { traceId }),
      attributes: attributesOf(attributes),
    }));
  });
}

interface OtlpPoint {
  attributes?: OtlpAttribute[];
  asInt?: string | number;
  asDouble?: number;
  /** The number of durations in a histogram. */
  count?: string | number;
}
interface OtlpMetric {
  name: string;
  unit?: string;
  sum?: { dataPoints?: OtlpPoint[] };
  gauge?: { dataPoints?: OtlpPoint[] };
  histogram?: { dataPoints?: OtlpPoint[] };
}
interface OtlpMetrics {
  resourceMetrics?: {
    resource?: { attributes?: OtlpAttribute[] };
    scopeMetrics?: { metrics?: OtlpMetric[] }[];
  }[];
}

/** One value of a metric at one time. */
export interface Point {
  service: string;
  name: string;
  unit: string;
  attributes: Record<string, unknown>;
  /** For a histogram, the number of durations. */
  value: number;
}

/** Returns the points of an ExportMetricsServiceRequest. Throws when the body is not one. */
export function pointsOf(json: string): Point[] {
  const { resourceMetrics = [] } = JSON.parse(json) as OtlpMetrics;
  return resourceMetrics.flatMap(({ resource, scopeMetrics = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name'] ?? 'unknown');
    const metrics = scopeMetrics.flatMap(scope => scope.metrics ?? []);
    return metrics.flatMap(({ name, unit = '', sum, gauge, histogram }) =>
      [sum, gauge, histogram].flatMap(kind =>
        (kind?.dataPoints ?? []).map(({ attributes, asInt, asDouble, count }) => ({
          ...{ service, name, unit },
          attributes: attributesOf(attributes),
          value: Number(asInt ?? asDouble ?? count ?? 0),
        })),
      ),
    );
  });
}
