import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryUnknownEvents } from './retry-unknown-events.ts';

const HOUR_MS = 3_600_000;

test("a change of the machine's clock does not change how long a turn lasts", async t => {
  t.mock.timers.enable({ apis: ['Date'], now: HOUR_MS });
  const letter = { id: 'l', topic: 't', group: 'g', eventType: 'e', at: new Date() };
  const batches = [Array.from({ length: 100 }, () => letter), [letter]];
  let looks = 0;
  const deadLetters = {
    async dueUnknown() {
      looks += 1;
      t.mock.timers.setTime((looks + 1) * HOUR_MS);
      return batches.shift() ?? [];
    },
    contentOf: async () => ({ key: null, value: null }),
    postpone: async () => false,
  };
  await retryUnknownEvents({ config: { unknownRetrySeconds: 60 }, deadLetters } as never);
  assert.equal(looks, 2, 'the first batch was a whole one');
});
