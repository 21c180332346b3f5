// Preloaded by `node --import`: patches must be registered before any other module is loaded.
import { register } from 'node:module';

if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const { startTelemetry } = await import('./sdk.ts');
  startTelemetry();
}
