import { randomBytes } from 'node:crypto';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

// Of a few hundred ids: each read makes six.
const POOL_BYTES = 4_096;

let [pool, at] = ['', 0];

/** Ids of zeros alone, which are none, do not come. */
function digits(count: number): string {
  if (at + count > pool.length) [pool, at] = [randomBytes(POOL_BYTES).toString('hex'), 0];
  at += count;
  return pool.slice(at - count, at);
}

/** Random ids, cut from many random digits that are made at once: the SDK's own fills and prints a buffer for each. */
export const randomIds: IdGenerator = { generateTraceId: () => digits(32), generateSpanId: () => digits(16) };
