import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit/telemetry/checks';
import { readCompose } from '../src/compose.ts';
import { LOCAL, ROOT, readEnvFile, serviceNames } from '../src/repository.ts';

test('with Compose, every variable of telemetry reaches every service', async () => {
  // Each service has a name of its own.
  const names = Object.keys({ ...CHECKS, ...OWN_CHECKS }).filter(name => name !== 'OTEL_SERVICE_NAME');
  const { migrate: _, ...services } = await readCompose(join(ROOT, 'deploy/compose.yaml'), {
    ...(await readEnvFile(join(LOCAL, 'secrets.env'))),
    SPEECH_BASE_URL: 'http://speech:8000/v1',
    ...Object.fromEntries(names.map(name => [name, `the ${name}`])),
  });
  assert.deepEqual(Object.keys(services).sort(), (await serviceNames()).sort());
  for (const [service, { environment }] of Object.entries(services)) {
    assert.equal(environment.OTEL_SERVICE_NAME, service);
    const missing = names.filter(name => environment[name] !== `the ${name}`);
    assert.deepEqual(missing, [], service);
  }
});
