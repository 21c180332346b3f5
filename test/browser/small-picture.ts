import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
// Uses one palette for the whole picture and no dithering, so that flat areas stay flat.
const PALETTE = 'split[one][two];[one]palettegen=stats_mode=single[palette];[two][palette]paletteuse=dither=none';

/** Reduces a PNG to 256 colours and a fraction of its size, because git keeps the pictures. */
export async function makeSmall(path: string): Promise<void> {
  const small = `${path}.small.png`;
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', path, '-vf', PALETTE, '-pred', 'mixed', small]);
  await rename(small, path);
}

if (import.meta.main) for (const path of process.argv.slice(2)) await makeSmall(path);
