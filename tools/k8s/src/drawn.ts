import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './repository.ts';

/** A line of ARCHITECTURE.md's table of who reaches whom. */
export interface Drawn {
  from: string;
  to: string;
  ports: number[] | 'all';
}

/** Returns the table; fails when it is not there. */
export async function readDrawn(): Promise<Drawn[]> {
  const text = await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = /### Who reaches whom\n([\s\S]+?)\n#/.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)].slice(1);
  assert.ok(rows.length > 20, 'ARCHITECTURE.md has no table under "Who reaches whom"');
  return rows.map(([, from = '', to = '', ports = '']) => ({
    from,
    to,
    ports: ports === 'all' ? ports : ports.split(', ').map(Number),
  }));
}
