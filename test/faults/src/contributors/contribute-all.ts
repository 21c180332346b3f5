import type { Random } from '@recording-request/stack/random';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';
import type { Entry } from './ledger.ts';

const WIDTH = 8;

/** Sends takes through a project's shared link, `width` at once. Returns their entries. */
export async function contributeAll(
  harness: Harness,
  project: Project,
  count: number,
  random: Random,
  options: { speaks?: boolean; padBytes?: number; termsAccepted?: boolean; width?: number } = {},
): Promise<Entry[]> {
  const { termsAccepted = false, width = WIDTH, ...takeOptions } = options;
  const entries: Entry[] = [];
  let started = 0;
  const lane = async () => {
    while (started < count) {
      const mine = random.fork(`take ${started++}`);
      const how = { chunkBytes: 1_000_000, termsAccepted };
      entries.push(await harness.contribute({ project }, harness.take(mine, takeOptions), mine, how));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
  return entries;
}
