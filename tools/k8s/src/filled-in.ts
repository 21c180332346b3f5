import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Each placeholder of the production examples, with a value of an installation that tests can use. */
const VALUES: ReadonlyArray<[placeholder: string, value: string]> = [
  ['example.com', 'corp.internal'],
  ['0'.repeat(64), '0123456789abcdef'.repeat(4)],
  ['1'.repeat(64), 'fedcba9876543210'.repeat(4)],
  ['192.0.2.0/27', '10.1.0.0/24'],
  ['192.0.2.32/27', '10.2.0.0/24'],
  ['192.0.2.64/27', '10.3.0.0/24'],
  ['192.0.2.96/27', '10.4.0.0/24'],
  ['192.0.2.160/27', '10.6.0.0/24'],
  ['111122223333', '210987654321'],
];

/** Replaces the placeholders in a production example by values that tests can use. */
export const filledIn = (text: string): string =>
  VALUES.reduce((changed, [placeholder, value]) => changed.replaceAll(placeholder, value), text);

/** Fills in all files of a copy of the production overlay. */
export async function fillIn(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    await writeFile(file, filledIn(await readFile(file, 'utf8')));
  }
}
