import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import type { ReadyArchive } from '../store/archives.ts';
import { createArchiveBuilds } from './archive-builds.ts';

const MADE = { id: 'made' } as ReadyArchive;
const MIB = 1024 ** 2;

/** A build that ends when the test ends it, and the build's outcome. */
function slowBuild() {
  const { promise, resolve } = Promise.withResolvers<ReadyArchive>();
  const seen = { begun: 0, stopped: false };
  const build = (signal: AbortSignal) => {
    seen.begun += 1;
    signal.addEventListener('abort', () => {
      seen.stopped = true;
    });
    return promise;
  };
  return { build, seen, end: () => resolve(MADE) };
}
const caller = () => new AbortController();

test('a caller that requests an archive which is being made waits for it', async () => {
  const builds = createArchiveBuilds(100 * MIB);
  const { build, seen, end } = slowBuild();
  const both = [
    builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal),
    builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal),
  ];
  end();
  assert.deepEqual(await Promise.all(both), [MADE, MADE]);
  assert.equal(seen.begun, 1);
});

test('a build stops when its last caller leaves, and the next caller starts a new one', async () => {
  const builds = createArchiveBuilds(100 * MIB);
  const { build, seen } = slowBuild();
  const [one, other] = [caller(), caller()];
  const both = [one, other].map(({ signal }) =>
    assert.rejects(builds.join({ key: 'one', ownerId: 'o' }, build, signal)),
  );
  one.abort();
  await both[0];
  assert.equal(seen.stopped, false);
  other.abort();
  await both[1];
  assert.equal(seen.stopped, true);
  const again = slowBuild();
  const third = builds.join({ key: 'one', ownerId: 'o' }, again.build, caller().signal);
  again.end();
  assert.equal(await third, MADE);
});

test('a caller that waits too long is refused until later, and its retry finds the archive', async () => {
  const builds = createArchiveBuilds(100 * MIB, 20);
  const { build, seen, end } = slowBuild();
  await assert.rejects(builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal), {
    code: 'unavailable',
    retryAfterSec: 10,
  });
  assert.equal(seen.stopped, false);
  const again = builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal);
  end();
  assert.equal(await again, MADE);
  assert.equal(seen.begun, 1);
});

test('when a build takes too long, its callers are refused until later, and a retry starts a new build', async () => {
  const builds = createArchiveBuilds(100 * MIB, 60_000, 20);
  const endless = (signal: AbortSignal) =>
    new Promise<ReadyArchive>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await assert.rejects(builds.join({ key: 'one', ownerId: 'o' }, endless, caller().signal), {
    code: 'unavailable',
    retryAfterSec: 10,
  });
  const { build, end } = slowBuild();
  const again = builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal);
  end();
  assert.equal(await again, MADE);
});

test('builds beyond the memory wait for their turn, and one whose caller leaves before never starts', async () => {
  const builds = createArchiveBuilds(24 * MIB);
  const [first, second, third] = [slowBuild(), slowBuild(), slowBuild()];
  const made = builds.join({ key: 'first', ownerId: 'o' }, first.build, caller().signal);
  const leaver = caller();
  const left = assert.rejects(builds.join({ key: 'second', ownerId: 'o' }, second.build, leaver.signal));
  const last = builds.join({ key: 'third', ownerId: 'o' }, third.build, caller().signal);
  leaver.abort();
  await left;
  first.end();
  await made;
  await until('the third begins', () => third.seen.begun === 1);
  third.end();
  assert.equal(await last, MADE);
  assert.equal(second.seen.begun, 0);
});

test('a process that stops ends its builds', async () => {
  const builds = createArchiveBuilds(24 * MIB);
  const { build, seen, end } = slowBuild();
  const made = builds.join({ key: 'one', ownerId: 'o' }, build, caller().signal);
  await until('it begins', () => seen.begun === 1);
  builds.stop();
  assert.equal(seen.stopped, true);
  end();
  await made;
});

test('the builds of one owner leave room for another owner', async () => {
  const builds = createArchiveBuilds(64 * MIB);
  const busy = [slowBuild(), slowBuild()];
  const made = busy.map(({ build }, at) => builds.join({ key: `busy ${at}`, ownerId: 'busy' }, build, caller().signal));
  const newcomer = slowBuild();
  const its = builds.join({ key: 'newcomer', ownerId: 'newcomer' }, newcomer.build, caller().signal);
  await until('the build of the newcomer begins', () => newcomer.seen.begun === 1);
  assert.deepEqual(
    busy.map(({ seen }) => seen.begun),
    [1, 0],
  );
  for (const { end } of [...busy, newcomer]) end();
  assert.deepEqual(await Promise.all([...made, its]), [MADE, MADE, MADE]);
});
