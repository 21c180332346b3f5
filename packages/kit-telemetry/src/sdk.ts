import { readFileSync } from 'node:fs';
import { diag } from '@opentelemetry/api';
import { diagLogLevelFromString } from '@opentelemetry/core';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  defaultResource,
  envDetector,
  hostDetector,
  osDetector,
  processDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { sendLinesTo } from '@recording-request/kit/log';
import { endTelemetry, endTelemetryBy } from './ending.ts';
import { metricReaders, recordProcessor, spanProcessor } from './exporters.ts';
import { instanceId } from './instance-id.ts';
import { sendLine } from './log-records.ts';
import { defaultSampler } from './sampler.ts';
import { clusterAttributes, type Signal, type Signals } from './settings.ts';
import { startSending } from './signals.ts';
import { views } from './views.ts';

// The interval in milliseconds at which OpenTelemetry reads the event loop's delay. OpenTelemetry's default of 10 ms
// would wake each process, even an idle one, a hundred times a second.
const LOOP_SAMPLE_MS = 200;
const DETECTORS = [processDetector, hostDetector, osDetector, envDetector];

/**
 * Starts OpenTelemetry. Its settings are the standard OTEL_… variables, which `readSignals` has checked. Spans and log
 * records are sent in batches, metrics every minute. If the collector is down, only this data is lost.
 */
export function startTelemetry(signals: Signals, env: NodeJS.ProcessEnv = process.env): void {
  const { traces, metrics, logs } = signals;
  const sdk = new NodeSDK({
    resource: resource(env),
    // Omits the detector that assigns each process a random id.
    ...(!env.OTEL_NODE_RESOURCE_DETECTORS && { resourceDetectors: DETECTORS }),
    spanProcessors: traces ? [spanProcessor(env)] : [],
    ...(!env.OTEL_TRACES_SAMPLER && { sampler: defaultSampler(env) }),
    metricReaders: metrics ? metricReaders(env) : [],
    views: views(),
    logRecordProcessors: logs ? [recordProcessor(env)] : [],
    instrumentations: [
      ...(metrics ? [new RuntimeNodeInstrumentation({ monitoringPrecision: LOOP_SAMPLE_MS })] : []),
      new UndiciInstrumentation({
        // Requests of health checks and polls get no spans.
        requireParentforSpans: true,
        // An address may contain a secret everywhere except in its origin.
        requestHook(span, { origin }) {
          span.setAttributes({ 'url.full': origin, 'url.path': '', 'url.query': '' });
        },
      }),
    ],
  });
  if (env.OTEL_LOG_LEVEL) noteItsTroubles(env.OTEL_LOG_LEVEL);
  sdk.start();
  startSending(signals);
  if (logs) sendLinesTo(sendLine);
  if (metrics) {
    // Loaded after the start, because an instrument belongs to the SDK that runs when the instrument is made.
    const sent = (Object.keys(signals) as Signal[]).filter(signal => signals[signal]);
    void import('./process-figures.ts').then(({ reportProcess }) => reportProcess(sent));
  }
  endTelemetryBy(() => sdk.shutdown());
  process.once('beforeExit', () => void endTelemetry());
}

/** Writes the SDK's own log to stderr, because stdout is for JSON lines. */
function noteItsTroubles(level: string): void {
  const write = (message: string, ...rest: unknown[]) => console.error('telemetry:', message, ...rest);
  const logger = { error: write, warn: write, info: write, debug: write, verbose: write };
  const logLevel = diagLogLevelFromString(level.trim());
  diag.setLogger(logger, { ...(logLevel !== undefined && { logLevel }), suppressOverrideMessage: true });
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these attributes. */
const resource = (env: NodeJS.ProcessEnv): Resource =>
  defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName(),
      'service.version': version(),
      'service.instance.id': instanceId(env),
      ...clusterAttributes(env),
    }),
  );

/** Returns the name of the service whose main.ts this process runs. */
function serviceName(): string {
  const [, name] = /services\/([a-z]+)\/src\/main\.ts$/.exec(process.argv[1] ?? '') ?? [];
  return name ?? 'recording-request';
}

/** Returns the version of the product. */
function version(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
