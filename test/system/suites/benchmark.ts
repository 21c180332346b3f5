import { describe, test } from 'node:test';
import { ensurePeers } from '@recording-request/bench/peers/peers';
import { type Bench, CHECK } from '@recording-request/bench/row';
import { ROWS } from '@recording-request/bench/rows/all';
import { serverVariables } from '@recording-request/testing/environment';
import type { SeedData } from '../harness/seed.ts';

/**
 * Runs the checks that `npm run bench` makes before it measures: they compare the responses of all variants. Measures
 * nothing, and omits the peers that need a build.
 */
export function benchmark({ system, ada }: SeedData, secretsKey: string): void {
  describe('benchmark', () => {
    for (const row of ROWS.filter(each => !each.alone)) {
      test(`row ${row.name}, ${row.title}: every variant returns the expected answer`, {
        timeout: 300_000,
      }, async t => {
        const { baseUrl, services, certificates, name, scratch } = system;
        const place = { dir: scratch, env: process.env, signal: t.signal };
        const log = () => {};
        const bench: Bench = {
          dir: scratch,
          log,
          signal: t.signal,
          scale: CHECK,
          secretsKey,
          product: {
            baseUrl,
            token: ada.token,
            services,
            certificates,
            serversEnv: serverVariables(),
            databasePrefix: `${name}_`,
            topicPrefix: `${name}.`,
            bucket: name,
          },
          peers: await ensurePeers(
            new Set(row.needs.filter(need => !['go', 'nginx', 'tus'].includes(need))),
            place,
            log,
          ),
        };
        await using stack = new AsyncDisposableStack();
        await row.prepare(bench, stack);
      });
    }
  });
}
