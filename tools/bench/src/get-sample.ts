import { openLoadClient } from './load/http-client.ts';
import { bearer } from './product/product.ts';
import type { Bench } from './row.ts';
import { loopSample } from './sample.ts';

/** Maximum number of concurrent requests. */
export const LANES = 16;

/**
 * Returns a function that samples GET requests to one path with the owner's token, sixteen at once. Counts the CPU time
 * of `counted`.
 */
export function getSample(
  bench: Bench,
  stack: AsyncDisposableStack,
  { origin, path, counted }: { origin: string; path: string; counted: number[] },
) {
  const client = stack.use(openLoadClient(origin, LANES));
  const headers = bearer(bench.product);
  const work = async () => void (await client.get(path, headers));
  return () => loopSample(bench, { counted, lanes: LANES, work });
}
