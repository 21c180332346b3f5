import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartError } from '@recording-request/kit/config';
import { RoleUnavailableError, roleCredentials } from './role.ts';

const HOUR_MS = 3_600_000;

/** Returns the state of a source of credentials and of a clock, and a function that returns the current access key. */
function trial() {
  const state = { now: 0, requests: 0, fail: false };
  const source = {
    async request() {
      state.requests += 1;
      if (state.fail) throw new Error('refused\nwith a second line');
      return { accessKeyId: `key-${state.requests}`, secretAccessKey: 's', expiration: new Date(state.now + HOUR_MS) };
    },
    isRefusal: () => true,
    refused: (reason: string) => `The role is refused (${reason}).`,
  };
  const current = roleCredentials(source, () => state.now);
  const key = async () => {
    const { accessKeyId } = await current();
    // Lets a renewal in the background end.
    await new Promise(setImmediate);
    return accessKeyId;
  };
  return { state, key };
}

test('credentials are requested once, and renewed in the background before they expire', async () => {
  const { state, key } = trial();
  assert.deepEqual(await Promise.all([key(), key(), key()]), ['key-1', 'key-1', 'key-1']);
  state.now = HOUR_MS - 6 * 60_000;
  assert.equal(await key(), 'key-1');
  assert.equal(state.requests, 1);
  state.now = HOUR_MS - 4 * 60_000;
  assert.equal(await key(), 'key-1', 'the old ones are still valid');
  assert.equal(await key(), 'key-2');
  assert.equal(state.requests, 2);
});

test('expired credentials are never used: a request waits for new ones', async () => {
  const { state, key } = trial();
  await key();
  state.now = HOUR_MS;
  assert.deepEqual(await Promise.all([key(), key()]), ['key-2', 'key-2']);
});

test('a refusal at the start needs the operator; later, it is an outage that ends by itself', async () => {
  const { state, key } = trial();
  state.fail = true;
  await assert.rejects(key(), { name: 'StartError', message: 'The role is refused (refused).' });
  await assert.rejects(key(), StartError);
  assert.equal(state.requests, 1, 'a failure is not repeated at once');
  state.fail = false;
  state.now = 5_000;
  assert.equal(await key(), 'key-2');
  state.fail = true;
  state.now += HOUR_MS - 1_000;
  assert.equal(await key(), 'key-2', 'a failed renewal does not stop work while the old ones are valid');
  state.now += 10_000;
  await assert.rejects(
    key(),
    (error: Error) => error instanceof RoleUnavailableError && error.code === 'ServiceUnavailable',
  );
  state.fail = false;
  state.now += 5_000;
  assert.equal(await key(), 'key-5');
});
