import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResealResponse } from '@recording-request/proto/operator/v1/projects';
import { type Resealing, reseal } from './reseal.ts';
import { NotDone } from './run-erase.ts';

const NOBODY = { ask: undefined, show: () => {} };
const COMMAND = { name: 'reseal', dryRun: false } as const;
const KEEP = 'Keep a removed key with the backups from before: a restore of them needs it';

/** Returns the RPC of a service that returns these results in turn, and then repeats the last result. */
function answering(...answers: Partial<ResealResponse>[]): Resealing['projects'] & { cursors: string[] } {
  const cursors: string[] = [];
  const none = { lookedAt: 10, resealed: 0, changedMeanwhile: 0, unopened: [], keyId: 'k2', otherKeyIds: ['k1'] };
  const batch: Resealing['projects'] = async ({ cursor = '' }) => {
    cursors.push(cursor);
    return { nextCursor: '', ...none, ...answers[Math.min(cursors.length, answers.length) - 1] };
  };
  return Object.assign(batch, { cursors });
}

const notDone =
  (...sentences: RegExp[]) =>
  (error: Error) => {
    assert.ok(error instanceof NotDone);
    for (const sentence of sentences) assert.match(error.message, sentence);
    return true;
  };

test('repeats for each service until a whole pass finds nothing, and reports which keys can leave', async () => {
  const projects = answering({ nextCursor: 'links:', resealed: 4 }, { changedMeanwhile: 1 }, {});
  const webhooks = answering({ keyId: 'w2', otherKeyIds: [] });
  const { lines } = await reseal({ projects, webhooks }, COMMAND, NOBODY);
  assert.deepEqual([projects.cursors, webhooks.cursors], [['', 'links:', ''], ['']]);
  assert.deepEqual(lines, [
    'projects: 4 sealed again; all 10 are sealed with "k2"',
    'webhooks: 0 sealed again; all 10 are sealed with "w2"',
    'projects: can leave SECRETS_KEY: k1',
    KEEP,
  ]);
});

test('names texts under an unknown key, lets no key of that service leave, and still reseals the other service', async () => {
  const unopened = [{ record: 'the token of link 7', keyId: 'k0', knownKey: false }];
  const webhooks = answering({ resealed: 2 }, {});
  await assert.rejects(
    reseal({ projects: answering({ unopened, resealed: 3 }), webhooks }, COMMAND, NOBODY),
    notDone(
      /^No key can leave SECRETS_KEY of projects .*the token of link 7 is sealed with the key "k0", which is not in SECRETS_KEY/,
      /webhooks: 2 sealed again/,
      /webhooks: can leave SECRETS_KEY: k1/,
    ),
  );
});

test('detects processes with different keys', async () => {
  const differing = answering({ nextCursor: 'links:' }, { keyId: 'k1', otherKeyIds: ['k2'] });
  const services = { projects: differing, webhooks: answering({ resealed: 1 }) };
  await assert.rejects(
    reseal(services, COMMAND, NOBODY),
    notDone(/The processes of projects have different keys/, /of webhooks the same SECRETS_KEY/),
  );
});

test('a dry run counts once and names no key while a text needs sealing', async () => {
  const services = { projects: answering({ resealed: 4 }), webhooks: answering() };
  const { lines, value } = await reseal(services, { ...COMMAND, dryRun: true }, NOBODY);
  const counts = { lookedAt: 10, keyId: 'k2' };
  assert.deepEqual(value, {
    dryRun: true,
    projects: { ...counts, resealed: 4, removableKeyIds: [] },
    webhooks: { ...counts, resealed: 0, removableKeyIds: ['k1'] },
  });
  assert.deepEqual(lines.slice(0, 2), [
    'projects: 4 of 10 would be sealed with "k2"',
    'webhooks: 0 sealed again; all 10 are sealed with "k2"',
  ]);
  assert.equal(services.projects.cursors.length, 1);
});
