import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { cacheRoot } from './cache.ts';
import type { InstallContext } from './context.ts';
import { onPath } from './find.ts';
import { holdLock } from './lock.ts';
import { run } from './run.ts';

/**
 * The commands of a package. If they exist, the package counts as installed, from Debian or from another source. For
 * other packages, dpkg decides.
 */
const COMMANDS: Record<string, string[]> = {
  ffmpeg: ['ffmpeg', 'ffprobe'],
  flite: ['flite'],
  'zbar-tools': ['zbarimg'],
  chromium: ['chromium'],
  faketime: ['faketime'],
  'redis-server': ['redis-server'],
  maven: ['mvn'],
  'openjdk-17-jre-headless': ['java'],
  python3: ['python3'],
  curl: ['curl'],
  zip: ['zip'],
  unzip: ['unzip'],
  openssl: ['openssl'],
  zsh: ['zsh'],
};

const UPDATE_LIMIT_MS = 5 * 60_000;
const INSTALL_LIMIT_MS = 15 * 60_000;

/**
 * Installs the missing Debian packages: packages whose commands are not on PATH. With `force`, installs without this
 * check (a shared library has no command). Rejects with a sentence that says what to do when this user is not root, apt
 * is missing, or apt fails.
 */
export async function ensureDebian(
  packages: string[],
  log: Log,
  options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal; force?: boolean } = {},
): Promise<void> {
  const { env = process.env, signal, force } = options;
  const missing = force ? packages : await missingOf(packages, env);
  if (missing.length === 0) return;
  const wish = `run \`sudo apt-get install ${missing.join(' ')}\` and try again`;
  if (!(await onPath('apt-get', env)))
    throw new Error(`${missing.join(', ')} missing and there is no apt-get here: ${wish}.`);
  if (process.getuid?.() !== 0) throw new Error(`${missing.join(', ')} missing and this is not root: ${wish}.`);

  await mkdir(cacheRoot(env), { recursive: true });
  // The commands of this project take turns, because apt fails instead of waiting when its lists are locked.
  await using _lock = await holdLock(join(cacheRoot(env), 'apt.lock'), {
    waitMs: UPDATE_LIMIT_MS + INSTALL_LIMIT_MS,
    signal,
    onWait: () => log('waiting for another apt-get of this project'),
  });
  const still = force ? missing : await missingOf(missing, env);
  if (still.length === 0) return;
  const apt = {
    log,
    signal,
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    progress: (_: number, last: string) => last.slice(0, 70),
  };
  log(`installing Debian packages: ${still.join(', ')}`);
  await updateOnce(() => run('apt-get', ['update'], { ...apt, what: 'apt-get update', timeoutMs: UPDATE_LIMIT_MS }));
  const args = ['-o', 'DPkg::Lock::Timeout=300', 'install', '--yes', '--no-install-recommends', ...still];
  await run('apt-get', args, { ...apt, what: `apt-get install ${still.join(' ')}`, timeoutMs: INSTALL_LIMIT_MS });
}

/** Fetches the package lists, for packages that are downloaded but not installed. */
export async function updateLists({ env, log, signal }: InstallContext): Promise<void> {
  await mkdir(cacheRoot(env), { recursive: true });
  await using _lock = await holdLock(join(cacheRoot(env), 'apt.lock'), { waitMs: UPDATE_LIMIT_MS, signal });
  const options = { log, signal, env, what: 'apt-get update', timeoutMs: UPDATE_LIMIT_MS };
  await updateOnce(() => run('apt-get', ['update'], options));
}

let updated: Promise<unknown> | undefined;

/** Fetches package lists once per process; retries after a failure. */
async function updateOnce(update: () => Promise<unknown>): Promise<void> {
  updated ??= update();
  try {
    await updated;
  } catch (error) {
    updated = undefined;
    throw error;
  }
}

async function missingOf(packages: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const missing: string[] = [];
  for (const name of packages) {
    const commands = COMMANDS[name];
    const there = commands
      ? (await Promise.all(commands.map(command => onPath(command, env)))).every(Boolean)
      : await isInstalled(name);
    if (!there) missing.push(name);
  }
  return missing;
}

async function isInstalled(name: string): Promise<boolean> {
  const quiet = { what: 'dpkg-query', log: () => {}, timeoutMs: 10_000 };
  return run('dpkg-query', ['-W', '-f', `\${Status}`, name], quiet).then(
    status => status.includes('install ok installed'),
    () => false,
  );
}
