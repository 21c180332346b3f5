import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child, Exit } from '@recording-request/stack/child-process';
import type { Log } from '@recording-request/stack/log';
import { ensureObservability, type ObservabilityInstall } from './install/observability.ts';
import { notifying } from './notifying.ts';
import { startPage } from './page/server.ts';
import { startAlertmanager } from './servers/alertmanager.ts';
import { startCollector } from './servers/collector.ts';
import { startPrometheus } from './servers/prometheus.ts';
import type { ServerContext } from './servers/server.ts';
import { startZipkin } from './servers/zipkin.ts';

export interface ObservabilityOptions {
  /** The folder of the data of Prometheus and Alertmanager, and of `logs/<name>.log`; created when missing. */
  dataDir: string;
  /** The rules of Prometheus; by default, the rules in deploy/observability. */
  rulesDir?: string;
  /** The configuration of Alertmanager; by default, the file in deploy/observability. */
  alertmanagerFile?: string;
  /** The dashboards that the page draws; by default, the dashboards in deploy/observability. */
  dashboardsDir?: string;
  /**
   * The milliseconds between two scrapes, between two evaluations of rules and between two exports of a service; 5,000
   * by default.
   */
  scrapeMs?: number;
  /** The milliseconds after which the metrics of a silent process disappear; by default, three exports, at least 15 s. */
  silentMs?: number | undefined;
  /** The URL that gets Alertmanager's notifications as webhooks. Without it, Alertmanager sends none. */
  notifyUrl?: string;
  /** The page's port; a free one by default. */
  pagePort?: number;
  log?: Log;
  /** Cancels the start. */
  signal?: AbortSignal;
  /** Called when a server ends by itself. */
  onExit?: (name: string, exit: Exit) => void;
  env?: NodeJS.ProcessEnv;
}

export interface Observability extends AsyncDisposable {
  /** The URL of OTLP over HTTP, without a path. */
  otlpUrl: string;
  /** The address of OTLP over gRPC: host:port. */
  otlpGrpcAddress: string;
  prometheusUrl: string;
  alertmanagerUrl: string;
  /** The URL, which ends in /zipkin. The API is below its path /api/v2. */
  zipkinUrl: string;
  pageUrl: string;
  /** The TRACE_URL for `npm run admin -- trace`. */
  traceUrl: string;
  /** The variables that make services send their spans and metrics here. */
  env: Record<string, string>;
  /** The process ids of the running servers. */
  pids: Record<'collector' | 'prometheus' | 'alertmanager' | 'zipkin', number>;
}

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const DEPLOY = join(REPOSITORY, 'deploy/observability');
const GRACE_MS = 5_000;

/**
 * Finds or installs a collector, Prometheus, Alertmanager and Zipkin, and starts them and the page on free ports of
 * 127.0.0.1. They end with this process, even after a crash. On failure, stops all of them and rejects with a sentence
 * that names the server that did not become ready.
 */
export async function startObservability(options: ObservabilityOptions): Promise<Observability> {
  const { log = () => {}, scrapeMs = 5_000, silentMs, env = process.env, signal, onExit } = options;
  const dataDir = resolve(options.dataDir);
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  const installed = await ensureObservability({ env, log, signal });
  log('starting the collector, Prometheus, Alertmanager and Zipkin …');
  // Disposes of the servers if the start fails. After a success, the result owns them.
  await using stack = new AsyncDisposableStack();
  let isStopping = false;
  const keep = <T extends { child: Child }>(started: T): T => {
    const { child } = started;
    stack.defer(async () => void (await child.stop(GRACE_MS)));
    void child.exited.then(exit => {
      if (!isStopping) onExit?.(child.name, exit);
    });
    return started;
  };
  const files = await prepareFiles({ ...options, dataDir });
  const context = { dataDir, env, signal };
  const { collector, prometheus, alertmanager, zipkin } = await startServers(
    installed,
    files,
    { scrapeMs, silentMs },
    context,
    keep,
  );
  const page = stack.use(
    await startPage({
      prometheusUrl: prometheus.url,
      alertmanagerUrl: alertmanager.url,
      zipkinUrl: zipkin.url,
      dashboardsDir: options.dashboardsDir ?? join(DEPLOY, 'dashboards'),
      repositoryDir: REPOSITORY,
      scrapeMs,
      port: options.pagePort,
    }),
  );
  const running = stack.move();
  return {
    otlpUrl: collector.otlpUrl,
    otlpGrpcAddress: collector.otlpGrpcAddress,
    prometheusUrl: prometheus.url,
    alertmanagerUrl: alertmanager.url,
    zipkinUrl: `${zipkin.url}/zipkin`,
    pageUrl: page.url,
    traceUrl: `${page.url}/zipkin/traces/{traceId}`,
    env: servicesEnv(collector.otlpUrl, scrapeMs),
    pids: {
      collector: collector.child.pid,
      prometheus: prometheus.child.pid,
      alertmanager: alertmanager.child.pid,
      zipkin: zipkin.child.pid,
    },
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      await running.disposeAsync();
    },
  };
}

interface Files {
  collector: string;
  alertmanager: string;
  rulesDir: string;
}

/**
 * Returns the paths of the servers' files: the files in deploy/observability or the given files, with `notifyUrl` as
 * the only receiver.
 */
async function prepareFiles(
  options: Pick<ObservabilityOptions, 'rulesDir' | 'alertmanagerFile' | 'notifyUrl' | 'dataDir'>,
): Promise<Files> {
  const rulesDir = options.rulesDir ?? join(DEPLOY, 'prometheus/rules');
  const routes = await readFile(options.alertmanagerFile ?? join(DEPLOY, 'alertmanager/alertmanager.yaml'), 'utf8');
  const alertmanager = join(options.dataDir, 'alertmanager.yaml');
  await writeFile(alertmanager, notifying(routes, options.notifyUrl));
  return {
    collector: join(DEPLOY, 'collector/config.yaml'),
    alertmanager,
    rulesDir,
  };
}

async function startServers(
  installed: ObservabilityInstall,
  files: Files,
  { scrapeMs, silentMs }: { scrapeMs: number; silentMs: number | undefined },
  context: ServerContext,
  keep: <T extends { child: Child }>(started: T) => T,
) {
  const [zipkin, alertmanager] = await Promise.all([
    startZipkin(installed.zipkin, context).then(keep),
    startAlertmanager(installed.alertmanager, files.alertmanager, context).then(keep),
  ]);
  const collector = keep(
    await startCollector(
      installed.collector,
      { config: files.collector, zipkinUrl: zipkin.url, everyMs: scrapeMs, silentMs },
      context,
    ),
  );
  const alertmanagerAddress = new URL(alertmanager.url).host;
  const prometheus = keep(
    await startPrometheus(
      installed.prometheus,
      { scrape: collector.scrape, alertmanagerAddress, rulesDir: files.rulesDir, scrapeMs },
      context,
    ),
  );
  return { collector, prometheus, alertmanager, zipkin };
}

/** Returns the variables that make a service send its data to a collector, and its metrics every `everyMs` milliseconds. */
function servicesEnv(otlpUrl: string, everyMs: number): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_METRIC_EXPORT_INTERVAL: String(everyMs),
    OTEL_METRIC_EXPORT_TIMEOUT: String(everyMs),
    OTEL_BSP_SCHEDULE_DELAY: '1000',
    // Keeps all requests, because a watched system has few.
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  };
}
