import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
// One palette for the whole picture, without dithering: what is flat stays flat.
const PALETTE = 'split[one][two];[one]palettegen=stats_mode=single[palette];[two][palette]paletteuse=dither=none';

/** Makes a PNG a fraction of its bytes, in 256 colours: pictures are kept in git. */
export async function makeSmall(path: string): Promise<void> {
  const small = `${path}.small.png`;
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', path, '-vf', PALETTE, '-pred', 'mixed', small]);
  await rename(small, path);
}

if (import.meta.main) for (const path of process.argv.slice(2)) await makeSmall(path);
