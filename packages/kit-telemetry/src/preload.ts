// `node --import` preloads this file, so that the SDK runs before any module creates an instrument.
import { ConfigError } from '@recording-request/kit/config';
import { readSignals } from './settings.ts';

try {
  const signals = readSignals(process.env);
  if (signals.traces || signals.metrics || signals.logs) {
    const { startTelemetry } = await import('./sdk.ts');
    startTelemetry(signals);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`telemetry: ${error.message}\n`);
  // EX_CONFIG of sysexits.h, like for every other malformed variable.
  process.exit(78);
}
