import { openLoadClient } from './load/http-client.ts';
import { bearer } from './product/product.ts';
import type { Bench } from './row.ts';
import { loopSample } from './sample.ts';

/** Requests under way at once. */
export const LANES = 16;

/** Returns what samples GET requests of one path, sixteen at once, with the owner's token; `counted` are the processes whose CPU time counts. */
export function getSample(
  bench: Bench,
  stack: AsyncDisposableStack,
  { origin, path, counted }: { origin: string; path: string; counted: number[] },
) {
  const client = stack.use(openLoadClient(origin, LANES));
  const headers = bearer(bench.product);
  const work = async () => void (await client.get(path, headers));
  return () => loopSample(bench, { counted, servers: bench.product.serverPids, lanes: LANES, work });
}
