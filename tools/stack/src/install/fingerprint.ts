import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns hexadecimal digits that change with the name or content of any file under these folders. */
export async function fingerprintOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const files = await Array.fromAsync(
      glob('**/*.*', { cwd: folder, exclude: name => name.endsWith('node_modules') }),
    );
    for (const file of files.sort())
      hash
        .update(`${file}\0`)
        .update(await readFile(join(folder, file)))
        .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}
