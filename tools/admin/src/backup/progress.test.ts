import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress, Stalled, sharesOf, sizeText, unlessStalled } from './progress.ts';

test('work without progress fails and says how far it came', async () => {
  const progress = createProgress(() => {});
  progress.now(() => '3 of 10 objects copied');
  progress.tick();
  const never = new Promise<never>(() => {});
  await assert.rejects(unlessStalled(never, progress, { limitMs: 20, lookMs: 10 }), error => {
    assert.ok(error instanceof Stalled);
    assert.match(error.message, /^The backup was not completed: .* after: 3 of 10 objects copied\. .* run it again/);
    return true;
  });
});

test('slow work that makes progress continues', async () => {
  const progress = createProgress(() => {});
  let looks = 0;
  const work = new Promise<string>(resolve => {
    const timer = setInterval(() => {
      progress.tick();
      if (++looks < 20) return;
      clearInterval(timer);
      resolve('done');
    }, 5);
  });
  assert.equal(await unlessStalled(work, progress, { limitMs: 60, lookMs: 20 }), 'done');
});

test('shows shares of a total', () => {
  const progress = createProgress(() => {});
  const shares = sharesOf({ count: 1_000, bytes: 2_500_000_000 }, progress);
  progress.tick(3_000_000);
  assert.equal(shares({ count: 10, bytes: 3_000_000 }), '10 of 1,000 objects, 3.0 MB of 2.5 GB, 3.0 MB/s');
  assert.equal(sizeText(999), '999 bytes');
});
