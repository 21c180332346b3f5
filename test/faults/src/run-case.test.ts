import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCase } from './run-case.ts';

test('a case that cannot be set up fails alone: the run continues and its table has the reason', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-run-case-'));
  try {
    const result = await runCase(
      {
        ...{ name: 'no-room', promise: 'nothing', bounded: false },
        harness: { servers: () => Promise.reject(new Error('no room for a server')) },
        run: () => Promise.resolve(),
      },
      { seed: 'any', dir, submissions: 1, short: true, serversEnv: {}, signal: AbortSignal.timeout(10_000) },
    );
    assert.equal(result.violations.length, 1, 'the case counts as one broken promise');
    assert.match(result.violations[0]!, /could not be set up.*no room for a server/s, 'the violation has the reason');
    assert.ok(result.dataDir?.startsWith(dir), 'the result has the folder of the logs');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
