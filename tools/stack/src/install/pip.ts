import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { onPath } from './find.ts';
import { run } from './run.ts';

const LIMIT_MS = 10 * 60_000;

/** Returns the python3 on PATH and its version ("3.11"); installs it from Debian if there is none. */
export async function ensurePython({ env, log, signal }: InstallContext): Promise<{ python: string; version: string }> {
  if (!(await onPath('python3', env))) await ensureDebian(['python3'], log, { env, signal });
  const python = await onPath('python3', env);
  if (!python) throw new Error('There is no python3 on PATH: install Python 3.9 or newer.');
  const ask = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const version = await run(python, ['-c', ask], { what: 'python3 --version', log, signal, env, timeoutMs: 20_000 });
  return { python, version: version.trim() };
}

/** Installs pinned wheels, without their dependencies, into a folder. `--target` needs neither a venv nor write access to the system's Python. */
export async function pipInstall(
  pins: string | string[],
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
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--no-compile', '--target', into];
  await run(python, ['-m', 'pip', 'install', '--root-user-action=ignore', ...options, ...[pins].flat()], {
    ...step,
    timeoutMs: LIMIT_MS,
  });
}
