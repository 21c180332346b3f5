import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** An ffmpeg that can be made to take longer. */
export interface SlowFfmpeg {
  /** The variables under which a service finds it instead of the other. */
  env: Record<string, string>;
  /** Has each run begin so many seconds late. */
  lag(seconds: number): Promise<void>;
  pass(): Promise<void>;
}

/** Puts a program into `dir` that waits as long as a file there says, and becomes the ffmpeg of this machine. */
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
