import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResealResponse } from '@recording-request/proto/operator/v1/projects';
import { type Resealing, reseal } from './reseal.ts';
import { NotDone } from './run-erase.ts';

const NOBODY = { ask: undefined, show: () => {} };
const COMMAND = { name: 'reseal', dryRun: false } as const;

/** Returns a service that returns these results in turn, and then repeats the last result. */
function answering(...answers: Partial<ResealResponse>[]): Resealing & { cursors: string[] } {
  const cursors: string[] = [];
  const none = { lookedAt: 10, resealed: 0, changedMeanwhile: 0, unopened: [], keyId: 'k2', otherKeyIds: ['k1'] };
  return {
    cursors,
    async reseal({ cursor }) {
      cursors.push(cursor ?? '');
      return { nextCursor: '', ...none, ...answers[Math.min(cursors.length, answers.length) - 1] };
    },
  };
}

test('repeats until a whole pass finds nothing, and reports which keys can leave', async () => {
  const service = answering({ nextCursor: 'links:', resealed: 4 }, { changedMeanwhile: 1 }, {});
  const { lines } = await reseal(service, COMMAND, NOBODY);
  assert.deepEqual(service.cursors, ['', 'links:', '']);
  assert.deepEqual(lines, [
    '4 sealed again; all 10 are sealed with "k2"',
    'can leave SECRETS_KEY: k1. Keep this key with the backups from before: a restore of them needs it',
  ]);
});

test('names secrets under an unknown key, and lets no key leave', async () => {
  const unopened = [{ record: 'the token of link 7', keyId: 'k0', knownKey: false }];
  await assert.rejects(reseal(answering({ unopened, resealed: 3 }), COMMAND, NOBODY), (error: Error) => {
    assert.ok(error instanceof NotDone);
    assert.match(
      error.message,
      /^No key can leave .*the token of link 7 is sealed with the key "k0", which is not in SECRETS_KEY/,
    );
    return true;
  });
});

test('detects processes with different keys', async () => {
  const differing = answering({ nextCursor: 'links:' }, { keyId: 'k1', otherKeyIds: ['k2'] });
  await assert.rejects(reseal(differing, COMMAND, NOBODY), /have different keys/);
  await assert.rejects(reseal(answering({ resealed: 1 }), COMMAND, NOBODY), /still seals with a key other than "k2"/);
});

test('a dry run counts once and names no key while a secret needs sealing', async () => {
  const service = answering({ resealed: 4 });
  const { value } = await reseal(service, { ...COMMAND, dryRun: true }, NOBODY);
  assert.deepEqual(value, { dryRun: true, lookedAt: 10, resealed: 4, keyId: 'k2', removableKeyIds: [] });
  assert.equal(service.cursors.length, 1);
});
