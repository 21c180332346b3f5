import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder, removed on disposal. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  /** Makes disposal keep all files, such as logs, except the data of servers in `servers/`. */
  keep(): void;
}

export async function openScratch(name: string): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), `recording-request-${name}-`));
  let removed = path;
  return {
    path,
    keep() {
      removed = join(path, 'servers');
    },
    [Symbol.asyncDispose]: () => rm(removed, { recursive: true, force: true, maxRetries: 5 }),
  };
}
