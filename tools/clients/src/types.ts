import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { openScratch } from '@recording-request/harness/scratch';

/** The file of the generated types. */
export const TYPES_FILE = new URL('../../../clients/typescript/src/types.gen.ts', import.meta.url);

/** Returns the TypeScript types of a description. */
export async function typesOf(description: Record<string, unknown>): Promise<string> {
  await using scratch = await openScratch('clients');
  await createClient({
    input: description,
    output: join(scratch.path, 'types'),
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  });
  return readFile(join(scratch.path, 'types', 'types.gen.ts'), 'utf8');
}
