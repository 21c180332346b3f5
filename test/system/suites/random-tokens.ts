import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { mintToken, type TokenPrefix, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { type FloodRequest, flood } from '../harness/flood.ts';
import type { Stores } from '../harness/stores.ts';

type ProjectsDatabase = Pick<Stores, 'command' | 'collection'>;

// The profiler's capped collection must have room for all of these look-ups.
const WELL_FORMED = 150;
const RESPONSE = '019a0000-0000-7000-8000-000000000001';
const PREFIXES: TokenPrefix[] = ['api', 'prj', 'vr'];
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a text that looks like a token; its checksum is right about once in four billion. */
function guess(prefix: TokenPrefix): string {
  const letters = Array.from(randomBytes(38), byte => ALPHABET[byte % ALPHABET.length]);
  return `${prefix}_${letters.join('')}`;
}

const requestWith = (prefix: TokenPrefix, token: string): FloodRequest =>
  prefix === 'api'
    ? { path: '/api/me', headers: { authorization: `Bearer ${token}` } }
    : { path: prefix === 'prj' ? `/project/${token}/export.json` : `/r/${token}/responses/${RESPONSE}` };

const ofEach = (count: number, make: (prefix: TokenPrefix) => string): FloodRequest[] =>
  Array.from({ length: count }, (_, n) => {
    const prefix = PREFIXES[n % PREFIXES.length]!;
    return requestWith(prefix, make(prefix));
  });

/** Returns how often the service looked up a token's hash during `work`. */
async function lookUps(stores: ProjectsDatabase, work: () => Promise<void>): Promise<number> {
  await stores.command('projects', { profile: 2 });
  try {
    await work();
  } finally {
    await stores.command('projects', { profile: 0 });
  }
  const profile = stores.collection('projects', 'system.profile');
  const hashed = [{ 'command.filter.hash': { $exists: true } }, { 'command.filter.dashboardHash': { $exists: true } }];
  const count = await profile.countDocuments({
    op: 'query',
    $or: [{ ns: { $regex: '\\.(hashes|tokens)$' } }, ...hashed],
  });
  await profile.drop();
  return count;
}

/** Tests unknown tokens; needs high rate limits. */
export function randomTokens(gateway: { baseUrl: string }, stores: ProjectsDatabase, count: number): void {
  describe('unknown tokens', () => {
    test(`none of ${count} random tokens is accepted or reaches the database`, async t => {
      const requests = ofEach(count, prefix => {
        for (;;) {
          const token = guess(prefix);
          if (!tokenIsWellFormed(prefix, token)) return token;
        }
      });
      let statuses: Record<string, number> = {};
      const began = performance.now();
      const looked = await lookUps(stores, async () => {
        statuses = await flood(gateway.baseUrl, requests);
      });
      t.diagnostic(`${count} requests in ${Math.round((performance.now() - began) / 1000)} s`);
      assert.deepEqual(statuses, { 401: Math.ceil(count / 3), 404: count - Math.ceil(count / 3) });
      assert.equal(looked, 0, 'look-ups in the database');
    });

    test('no random token with a right checksum is accepted; each costs one look-up at most', async () => {
      let statuses: Record<string, number> = {};
      const looked = await lookUps(stores, async () => {
        statuses = await flood(gateway.baseUrl, ofEach(WELL_FORMED, mintToken));
      });
      assert.deepEqual(statuses, { 401: WELL_FORMED / 3, 404: WELL_FORMED - WELL_FORMED / 3 });
      assert.ok(looked > 0 && looked <= WELL_FORMED, `${looked} look-ups for ${WELL_FORMED} tokens`);
    });
  });
}
