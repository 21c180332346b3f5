import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { onPath } from './find.ts';
import { run } from './run.ts';

const LIMIT_MS = 10 * 60_000;

/** Returns the python3 on PATH and its version ("3.11"). Installs python3 from Debian if there is none. */
export async function ensurePython({ env, log, signal }: InstallContext): Promise<{ python: string; version: string }> {
  if (!(await onPath('python3', env))) await ensureDebian(['python3'], log, { env, signal });
  const python = await onPath('python3', env);
  if (!python) throw new Error('There is no python3 on PATH: install Python 3.9 or newer.');
  const ask = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const version = await run(python, ['-c', ask], { what: 'python3 --version', log, signal, env, timeoutMs: 20_000 });
  return { python, version: version.trim() };
}

/**
 * Installs pinned wheels, without their dependencies, into a folder. For a wheel with hashes, it accepts only files
 * with these hashes. `--target` needs neither a venv nor write access to the system's Python. Rejects with a
 * WrongHashError when a file's hash differs.
 */
export async function pipInstall(
  pins: string | string[] | Readonly<Record<string, readonly string[]>>,
  into: string,
  context: InstallContext & { what: string },
): Promise<void> {
  const { env, log, signal, what } = context;
  const { python } = await ensurePython(context);
  const step = { log, signal, env, what };
  const hasPip = await run(python, ['-m', 'pip', '--version'], { ...step, timeoutMs: 30_000 }).then(
    () => true,
    () => false,
  );
  if (!hasPip) await ensureDebian(['python3-pip'], log, { env, signal });
  log(`${what} …`);
  const options = ['--no-deps', '--only-binary', ':all:', '--no-compile', '--progress-bar', 'off', '--target', into];
  const isHashed = typeof pins === 'object' && !Array.isArray(pins);
  const wanted = isHashed
    ? await requirements(pins as Record<string, readonly string[]>, into)
    : [pins as string].flat();
  const args = ['-m', 'pip', 'install', '--root-user-action=ignore', ...options, ...wanted];
  const progress = (_: number, last: string) => last.trim().slice(0, 90);
  await run(python, args, { ...step, progress, timeoutMs: LIMIT_MS }).catch(error => {
    const other = /THESE PACKAGES DO NOT MATCH THE HASHES[\s\S]*?\n\s*(\S+) from /.exec(error.message)?.[1];
    throw other ? new WrongHashError(other) : error;
  });
  if (isHashed) await rm(wanted.at(-1)!);
}

/** The hash of a file from the registry differs from the pinned hash. */
export class WrongHashError extends Error {
  override name = 'WrongHashError';

  constructor(what: string) {
    super(`${what} is not the pinned file: its SHA-256 differs. Nothing of it was installed.`);
  }
}

async function requirements(pins: Record<string, readonly string[]>, into: string): Promise<string[]> {
  const file = join(into, 'requirements.txt');
  const lines = Object.entries(pins).map(
    ([pin, hashes]) => `${pin} ${hashes.map(hash => `--hash=sha256:${hash}`).join(' ')}`,
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  return ['--require-hashes', '--requirement', file];
}
