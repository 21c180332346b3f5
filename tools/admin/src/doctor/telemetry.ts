import { tlsFault } from '@recording-request/kit/tls-files';
import { exportNothing } from '@recording-request/kit-telemetry/exporters';
import { metricExporters, readSignals, type Signal } from '@recording-request/kit-telemetry/settings';
import { type Line, note, ok, wrong } from './finding.ts';
import { reasonOf } from './reason.ts';

// gRPC: PERMISSION_DENIED and UNAUTHENTICATED.
const REFUSED = new Set<unknown>([401, 403, 7, 16]);
// gRPC: UNIMPLEMENTED.
const NOT_THERE = new Set<unknown>([404, 405, 12]);

/** Sends an empty export of each signal that the settings turn on. */
export async function telemetryLines(env: NodeJS.ProcessEnv, limitMs: number): Promise<Line[]> {
  const signals = readSignals(env);
  const sent = (Object.keys(signals) as Signal[]).filter(
    signal => signals[signal] && (signal !== 'metrics' || metricExporters(env).includes('otlp')),
  );
  if (sent.length === 0) return [note('the settings send no telemetry to a collector')];
  return await Promise.all(sent.map(signal => signalLine(signal, env, limitMs)));
}

async function signalLine(signal: Signal, env: NodeJS.ProcessEnv, limitMs: number): Promise<Line> {
  try {
    await exportNothing(signal, env, limitMs);
    return ok(`it takes ${signal}`);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (REFUSED.has(code)) return wrong(`it refuses ${signal} (${code}): check OTEL_EXPORTER_OTLP_HEADERS`);
    if (NOT_THERE.has(code))
      return wrong(
        `it does not take ${signal} there (${code}): OTEL_EXPORTER_OTLP_ENDPOINT is its base address, and OTEL_EXPORTER_OTLP_PROTOCOL must fit the port`,
      );
    const fault = tlsFault(error, 'the collector', 'OTEL_EXPORTER_OTLP_CERTIFICATE, or in Node’s own list');
    return wrong(`${signal}: ${fault ?? reasonOf(error)}`);
  }
}
