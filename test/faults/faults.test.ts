/** The bounded part of `npm run faults`: the most telling cases, each in its short form. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CASES } from './src/cases/all.ts';
import { runCase } from './src/run-case.ts';

const SUBMISSIONS = 16;
const CASE_MS = 5 * 60_000;
const SERVERS = /^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/;

const serversEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => SERVERS.test(name)));

for (const fault of CASES.filter(({ bounded }) => bounded)) {
  test(fault.promise, { timeout: CASE_MS }, async context => {
    const dir = await mkdtemp(join(tmpdir(), 'recording-request-faults-'));
    const seed = Date.now().toString(36);
    const servers = serversEnv as Record<string, string>;
    const options = { seed, dir, submissions: SUBMISSIONS, short: true, signal: context.signal };
    const { violations, dataDir } = await runCase(fault, { ...options, serversEnv: servers });
    const replay = `${fault.name}, --short --seed ${seed}; logs in ${dataDir}`;
    assert.deepEqual(violations, [], `promises were broken (${replay}):\n${violations.join('\n')}`);
    await rm(dir, { recursive: true, force: true });
  });
}
