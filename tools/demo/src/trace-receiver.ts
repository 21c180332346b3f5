import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type LogRecord, type Point, pointsOf, recordsOf, type Span, spansOf } from './otlp-json.ts';

export interface TraceReceiver extends AsyncDisposable {
  /** The URL for OTEL_EXPORTER_OTLP_ENDPOINT, without /v1/traces or a similar path. */
  url: string;
  /** All spans, in order of arrival. */
  spans: Span[];
  /** The last point of each series, by service, name and attributes. */
  points: Map<string, Point>;
  /** All log records, in order of arrival. */
  records: LogRecord[];
  /** The raw bodies, which the demo searches for secrets. */
  bodies: string[];
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_KEPT_BYTES = 512 * 1024 * 1024;
const TRACES_PATH = '/v1/traces';
const METRICS_PATH = '/v1/metrics';
const LOGS_PATH = '/v1/logs';
const unzip = promisify(gunzip);

/**
 * Starts a receiver of OTLP/HTTP traces, metrics and log records in JSON, by default on 127.0.0.1 and a free port. It returns 415 for
 * Protobuf, 404 for another path, and 413 for a body that is too large.
 */
export async function startTraceReceiver({
  host = '127.0.0.1',
  port = 0,
}: {
  host?: string;
  port?: number;
} = {}): Promise<TraceReceiver> {
  const spans: Span[] = [];
  const points = new Map<string, Point>();
  const records: LogRecord[] = [];
  const bodies: string[] = [];
  let kept = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    if (request.method !== 'POST' || ![TRACES_PATH, METRICS_PATH, LOGS_PATH].includes(url))
      return void response.writeHead(404).end();
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return void response.writeHead(415, { connection: 'close' }).end();
    const body = await read(request);
    if (!body || kept + body.length > MAX_KEPT_BYTES)
      return void response.writeHead(413, { connection: 'close' }).end();
    kept += body.length;
    try {
      if (url === TRACES_PATH) spans.push(...spansOf(body));
      else if (url === LOGS_PATH) records.push(...recordsOf(body));
      else for (const point of pointsOf(body)) points.set(seriesOf(point), point);
      bodies.push(body);
    } catch {
      return void response.writeHead(400).end();
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { url, spans, points, records, bodies, stop, [Symbol.asyncDispose]: stop };
}

const seriesOf = ({ service, name, attributes }: Point) => JSON.stringify([service, name, attributes]);

/** The variables that make a service send its metrics to the same receiver every second. */
export const metricVariables: Readonly<Record<string, string>> = {
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  OTEL_METRIC_EXPORT_TIMEOUT: '1000',
};

/** The variables that make a service send its log lines to the same receiver. */
export const logVariables: Readonly<Record<string, string>> = {
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json',
  OTEL_BLRP_SCHEDULE_DELAY: '200',
  OTEL_BLRP_MAX_QUEUE_SIZE: '20000',
};

/** Returns the variables that make a service send its spans to `url` without long delays. */
export function traceVariables(url: string): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_BSP_MAX_QUEUE_SIZE: '20000',
  };
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (request.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
  return (await unzip(bytes, { maxOutputLength: MAX_BODY_BYTES })).toString('utf8');
}
