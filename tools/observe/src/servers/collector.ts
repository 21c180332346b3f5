import type { Child } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import { answers, type ServerContext, startServer } from './server.ts';

/** One looks at what was just done, and at the usual too: every trace is stored, sooner than in a cluster. */
const FOR_LOOKING = { DECISION_WAIT: '3s', SHARE_OF_THE_REST: '100' };

/** A collector that takes spans, metrics and log records. */
export interface Collector {
  child: Child;
  /** Of OTLP over HTTP, without a path. */
  otlpUrl: string;
  /** Of OTLP over gRPC: host:port. */
  otlpGrpcAddress: string;
  /** Where Prometheus scrapes what the services sent, and what the collector says of itself: host:port. */
  scrape: { services: string; itself: string };
}

/**
 * Starts the collector on free ports of 127.0.0.1 with the configuration in `config`, which reads from its environment where it listens
 * and where Zipkin is. The services send their metrics every `everyMs` milliseconds. `sampling`: other variables of its sampling than
 * those for looking at a system.
 */
export async function startCollector(
  program: string,
  options: { config: string; zipkinUrl: string; everyMs: number; sampling?: Record<string, string> },
  context: ServerContext,
): Promise<Collector> {
  const { config, zipkinUrl, everyMs, sampling = FOR_LOOKING } = options;
  const address = async () => `127.0.0.1:${await freePort()}`;
  const [grpc, http, services] = [await address(), await address(), await address()];
  const itself = await address();
  const env = {
    OTLP_GRPC_ENDPOINT: grpc,
    OTLP_HTTP_ENDPOINT: http,
    PROMETHEUS_ENDPOINT: services,
    ZIPKIN_ENDPOINT: `${zipkinUrl}/api/v2/spans`,
    OWN_METRICS_HOST: '127.0.0.1',
    OWN_METRICS_PORT: new URL(`http://${itself}`).port,
    SPAN_METRICS_INTERVAL: `${everyMs}ms`,
    // Three reports, and never so few seconds that a busy machine is taken for a process that went away.
    METRIC_EXPIRATION: `${Math.max(3 * everyMs, 15_000)}ms`,
    ...sampling,
    GOMEMLIMIT: '256MiB',
  };
  const otlpUrl = `http://${http}`;
  const nothing = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const isReady = async (limit: AbortSignal) =>
    // Receivers start last.
    (await answers(`http://${services}/metrics`, limit)) && (await answers(`${otlpUrl}/v1/traces`, limit, nothing));
  const args = ['--config', config];
  const child = await startServer({ name: 'collector', command: program, args, env, isReady }, context);
  return { child, otlpUrl, otlpGrpcAddress: grpc, scrape: { services, itself } };
}
