import type { Child } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import { answers, type ServerContext, startServer } from './server.ts';

/**
 * Keeps every trace and decides sooner than in a cluster, because a user of this tool looks at recent, ordinary
 * requests.
 */
const LOCAL_SAMPLING = { DECISION_WAIT: '3s', SHARE_OF_THE_REST: '100' };

/** A collector that receives spans, metrics and log records. */
export interface Collector {
  child: Child;
  /** The URL of OTLP over HTTP, without a path. */
  otlpUrl: string;
  /** The address of OTLP over gRPC: host:port. */
  otlpGrpcAddress: string;
  /** The address where Prometheus scrapes the metrics of the services and of the collector: host:port. */
  scrape: { services: string; itself: string };
}

/**
 * Starts the collector on free ports of 127.0.0.1 with the configuration in `config`. The configuration reads the
 * addresses of the collector and of Zipkin from the environment. The services send their metrics every `everyMs`
 * milliseconds; the metrics of a process that has sent none for `silentMs` disappear. `sampling` are sampling variables
 * that replace the default (every trace is kept).
 */
export async function startCollector(
  program: string,
  options: {
    config: string;
    zipkinUrl: string;
    everyMs: number;
    silentMs?: number | undefined;
    sampling?: Record<string, string>;
  },
  context: ServerContext,
): Promise<Collector> {
  const { config, zipkinUrl, everyMs, sampling = LOCAL_SAMPLING } = options;
  // The time of three exports, with a minimum, so that a process on a slow machine does not look like a process that
  // has ended.
  const { silentMs = Math.max(3 * everyMs, 15_000) } = options;
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
    METRIC_EXPIRATION: `${silentMs}ms`,
    ...sampling,
    GOMEMLIMIT: '256MiB',
  };
  const otlpUrl = `http://${http}`;
  const nothing = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const isReady = async (limit: AbortSignal) =>
    // Checks the receivers last, because they start last.
    (await answers(`http://${services}/metrics`, limit)) && (await answers(`${otlpUrl}/v1/traces`, limit, nothing));
  const args = ['--config', config];
  const child = await startServer({ name: 'collector', command: program, args, env, isReady }, context);
  return { child, otlpUrl, otlpGrpcAddress: grpc, scrape: { services, itself } };
}
