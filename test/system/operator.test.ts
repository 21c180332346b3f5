/**
 * Tests the operator's view: stored data contains no secrets, and erasure works. The six services run as processes on
 * real servers. All suites are in one file, because starting the services takes longer than running a suite.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import {
  logVariables,
  metricVariables,
  startTraceReceiver,
  traceVariables,
} from '@recording-request/demo/trace-receiver';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { startTestSystem } from '@recording-request/testing/test-system';
import { seedTwoOwners } from './harness/seed.ts';
import { openStores } from './harness/stores.ts';
import { AGAIN_SECONDS, erasure } from './suites/erasure.ts';
import { logLines } from './suites/log-lines.ts';
import { mediaAgain } from './suites/media-again.ts';
import { metrics } from './suites/metrics.ts';
import { personalData } from './suites/personal-data.ts';
import { randomTokens } from './suites/random-tokens.ts';
import { issueSecrets, secrets } from './suites/secrets.ts';
import { serviceIdentity } from './suites/service-identity.ts';
import { spans } from './suites/spans.ts';

await using starting = new AsyncDisposableStack();
const mediaDir = await mkdtemp(join(tmpdir(), 'recording-request-jobs-'));
starting.defer(() => rm(mediaDir, { recursive: true, force: true }));
const secretsKey = `k1:${randomBytes(32).toString('base64')}`;
const traces = await startTraceReceiver();
starting.defer(() => traces.stop());
const system = starting.use(
  await startTestSystem({
    restartable: true,
    // Writes every log line, because the suites check all of them.
    logLevel: 'trace',
    env: {
      ...traceVariables(traces.url),
      ...metricVariables,
      ...logVariables,
      TRUSTED_PROXIES: '1',
      TRUST_TRACEPARENT: 'true',
      SECRETS_KEY: secretsKey,
      MEDIA_WORK_DIR: mediaDir,
      ERASE_AGAIN_SECONDS: String(AGAIN_SECONDS),
      SWEEP_SECONDS: '1',
      FIGURES_SECONDS: '1',
    },
  }),
);
const stores = await openStores(system);
starting.defer(() => stores.close());
await stores.keepVersions();
const seed = starting.use(await seedTwoOwners(system));
const issued = await issueSecrets(seed);
const started = starting.move();
after(() => started.disposeAsync());

serviceIdentity(system);
secrets(seed, stores, traces, issued);
randomTokens(system, stores, 5_000);
// This suite needs both owners, so it runs before one is erased.
mediaAgain(seed, stores);
personalData(seed, stores, traces, createSecretBox(secretsKey));
erasure(seed, stores, mediaDir);
// Runs before the suite with a record that no consumer can handle, because that suite causes a fault in the logs.
logLines(seed, traces);
spans(seed, stores, traces);
metrics(traces);
