import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocker } from './locker.ts';
import { asWriter } from './writer.ts';

const HOUR_MS = 3_600_000;

test("a change of the machine's clock does not change how long a writer waits for another one", async t => {
  t.mock.timers.enable({ apis: ['Date'], now: HOUR_MS });
  let takes = 0;
  const uploads = {
    async takeWriter() {
      takes += 1;
      t.mock.timers.setTime((takes + 1) * HOUR_MS);
      return takes < 3 ? 'busy' : { id: 'u' };
    },
    releaseWriter: async () => {},
  };
  const locker = createLocker({ config: { uploadLeaseSeconds: 30 }, uploads } as never);
  await asWriter({ projectId: 'p' }, async () => {
    const lock = locker.newLock('u');
    await lock.lock(new AbortController().signal, () => {});
    await lock.unlock();
  });
  assert.equal(takes, 3);
});
