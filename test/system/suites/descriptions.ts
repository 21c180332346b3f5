import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ok } from '@recording-request/harness/http-client';
import type { SchemathesisRun } from '../harness/schemathesis.ts';
import type { SeedData } from '../harness/seed.ts';

/** Tests openapi.json with checks of our own and with Schemathesis. */
export function descriptions(seed: SeedData, runSchemathesis: () => Promise<SchemathesisRun>): void {
  const { ask, system } = seed;

  describe('descriptions', () => {
    test('openapi.json is 3.1, of version 1.0.0, for this address', async () => {
      const { openapi, info, servers } = ok(await ask('/api/openapi.json'));
      assert.deepEqual([openapi, info.version, servers[0].url], ['3.1.0', '1.0.0', system.baseUrl]);
    });

    test('every check of Schemathesis passes', async t => {
      const { code, cases, output } = await runSchemathesis();
      t.diagnostic(cases);
      assert.equal(code, 0, output);
      assert.match(cases, /^\d{4,} generated, \d+ passed/);
    });
  });
}
