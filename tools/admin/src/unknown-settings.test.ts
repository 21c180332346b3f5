import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseUnknownSettings } from './unknown-settings.ts';

test('refuses an unknown setting by name, with a similar one', () => {
  const env = { SETTING_RETENTION_DAY: '30', SETTING_KAFKA_BROKERS: 'kafka:9092', SETTING_COLOUR: 'red', HOME: '/' };
  assert.throws(() => refuseUnknownSettings(env), {
    name: 'ConfigError',
    message:
      'The configuration is not usable:' +
      '\n  - no program reads a setting RETENTION_DAY: docs/settings.md and docs/telemetry.md list all; a similar one is RETENTION_DAYS' +
      '\n  - no program reads a setting COLOUR: docs/settings.md and docs/telemetry.md list all',
  });
});

test('accepts settings of services, files of secrets, and variables of OpenTelemetry and Node', () => {
  const names = ['RETENTION_DAYS', 'KAFKA_PASSWORD_FILE', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'NODE_EXTRA_CA_CERTS'];
  refuseUnknownSettings({ ...Object.fromEntries(names.map(name => [`SETTING_${name}`, 'x'])), RETENTION_DAY: '30' });
});
