import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const BASELINE = resolve(import.meta.dirname, '../../../..', 'compatibility/baseline.json');

/** Returns the commit that the upgrade cases install as the previous version. */
export async function previousCommit(): Promise<string> {
  const { previous } = JSON.parse(await readFile(BASELINE, 'utf8')) as { previous: string };
  return previous;
}
