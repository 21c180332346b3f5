import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bench, expectEqual } from '../row.ts';
import { curl, type Transfer } from './curl.ts';
import { runCommand } from './run-command.ts';

/** Fails unless the archive is valid and has this number of videos of this size. */
export async function expectArchive(
  { dir, signal }: Pick<Bench, 'dir' | 'signal'>,
  what: string,
  request: Transfer,
  { videos, others, size }: { videos: number; others: number; size: number },
): Promise<void> {
  const output = join(dir, 'archive.zip');
  await curl([{ ...request, output }], { signal });
  await runCommand('unzip', ['-tqq', output], signal);
  const lines = (await runCommand('unzip', ['-Z', '-l', output], signal)).split('\n');
  const entries = lines.filter(line => line.startsWith('-'));
  expectEqual(`the entries of ${what}`, entries.length, videos + others);
  const ofSize = entries.filter(line => line.split(/\s+/).includes(String(size)) && line.endsWith('.mp4'));
  expectEqual(`the videos of ${size} bytes in ${what}`, ofSize.length, videos);
  expectEqual(`${what} is longer than its videos`, (await stat(output)).size > videos * size, true);
  await rm(output);
}
