import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';

/** One source and one target of a row in ARCHITECTURE.md's table "Who reaches whom". */
export interface Drawn {
  from: string;
  to: string;
  ports: number[] | 'all';
}

/** Returns the rows of the table. Fails when the table is missing. */
export async function readDrawn(): Promise<Drawn[]> {
  const text = await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = /### Who reaches whom\n([\s\S]+?)\n#/.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)].slice(1);
  assert.ok(rows.length > 10, 'ARCHITECTURE.md has no table under "Who reaches whom"');
  return rows.flatMap(([, sources = '', targets = '', listed = '']) => {
    const ports = listed === 'all' ? listed : listed.split(', ').map(Number);
    return sources.split(', ').flatMap(from => targets.split(', ').map(to => ({ from, to, ports })));
  });
}
