/** Runs the bounded part of `npm run faults`: important cases in their short form, on one set of services. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { feed } from './src/cases/feed.ts';
import { kafkaDown } from './src/cases/kafka-down.ts';
import { killEachService } from './src/cases/kill-each-service.ts';
import { lastUse } from './src/cases/last-use.ts';
import { reminders } from './src/cases/reminders.ts';
import { uploadCut } from './src/cases/upload-cut.ts';
import { runCase } from './src/run-case.ts';
import { together } from './src/together.ts';

const SUBMISSIONS = 16;
const ALL_MS = 8 * 60_000;
const SERVERS = /^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/;

const serversEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => SERVERS.test(name)));

// A Kafka outage does not affect clients, so another case runs at the same time. lastUse runs alone: its many
// contributors may get 503, which kafkaDown does not allow.
const { fault, verdicts } = together([[kafkaDown, uploadCut], [lastUse], [killEachService], [feed], [reminders]]);
const seed = Date.now().toString(36);
const stop = new AbortController();
let dir = '';
let result: ReturnType<typeof runCase>;
let isBroken = false;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'recording-request-faults-'));
  const servers = serversEnv as Record<string, string>;
  const options = { seed, dir, submissions: SUBMISSIONS, short: true, signal: stop.signal };
  result = runCase(fault, { ...options, serversEnv: servers });
  result.catch(() => {});
});

after(async () => {
  stop.abort(new Error('the tests are over'));
  const { violations } = await result.catch(error => ({ violations: [String(error)] }));
  if (violations.length === 0 && !isBroken) await rm(dir, { recursive: true, force: true });
});

for (const { fault: each, done } of verdicts)
  test(each.promise, { timeout: ALL_MS }, async () => {
    // A failed set-up ends the run before a case is done.
    const seen = await Promise.race([done, result.then(({ violations }) => violations)]);
    isBroken ||= seen.length > 0;
    assert.deepEqual(
      seen,
      [],
      `promises were broken (${each.name}, seed ${seed}; logs in ${dir}):\n${seen.join('\n')}`,
    );
  });

test('after all cases no take is lost, duplicated or incomplete', { timeout: ALL_MS }, async () => {
  const { violations } = await result;
  assert.deepEqual(violations, [], `promises were broken (seed ${seed}; logs in ${dir}):\n${violations.join('\n')}`);
});
