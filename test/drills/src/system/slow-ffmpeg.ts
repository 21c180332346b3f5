import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** An ffmpeg that can be slowed down. */
export interface SlowFfmpeg {
  /** The variables that make a service use it. */
  env: Record<string, string>;
  /** Delays the start of each run by this many seconds. */
  lag(seconds: number): Promise<void>;
  pass(): Promise<void>;
}

/** Writes a program to `dir` that sleeps for the seconds in a file there, and then executes this machine's ffmpeg. */
export async function slowFfmpeg(dir: string): Promise<SlowFfmpeg> {
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v ffmpeg']);
  const waits = join(dir, 'waits');
  await mkdir(dir, { recursive: true });
  const script = `#!/bin/sh\n[ -f '${waits}' ] && sleep "$(cat '${waits}')"\nexec '${stdout.trim()}' "$@"\n`;
  await writeFile(join(dir, 'ffmpeg'), script, { mode: 0o755 });
  return {
    env: { PATH: `${dir}${delimiter}${process.env.PATH}` },
    lag: seconds => writeFile(waits, String(seconds)),
    pass: () => rm(waits, { force: true }),
  };
}
