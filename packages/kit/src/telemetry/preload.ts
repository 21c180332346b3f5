// Preloaded by `node --import`: patches must be registered before any other module is loaded.
import { register } from 'node:module';
import { ConfigError } from '../config.ts';
import { readSignals } from './settings.ts';

try {
  const signals = readSignals(process.env);
  if (signals.traces || signals.metrics || signals.logs) {
    register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
    const { startTelemetry } = await import('./sdk.ts');
    startTelemetry(signals);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`telemetry: ${error.message}\n`);
  // EX_CONFIG of sysexits.h, as for every other variable.
  process.exit(78);
}
