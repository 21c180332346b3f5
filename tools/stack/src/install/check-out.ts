import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { run } from './run.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const GIT_MS = 60_000;
const INSTALL_MS = 15 * 60_000;
const GENERATE_MS = 5 * 60_000;
const runFile = promisify(execFile);
const silent = () => {};

/**
 * Extracts a commit of this clone into a folder below `dir` and makes it ready to run. Returns the folder. Rejects when
 * `extractCommit` rejects.
 */
export async function checkOut(commit: string, dir: string): Promise<string> {
  const folder = await extractCommit(commit, dir);
  await installInto(folder);
  const path = [join(folder, 'node_modules/.bin'), process.env.PATH].join(':');
  await run('npm', ['run', '--silent', 'generate'], {
    ...{ what: `generating the code of ${commit}`, log: silent, timeoutMs: GENERATE_MS },
    cwd: folder,
    env: { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' },
  });
  return folder;
}

/**
 * Extracts the sources of a commit into a folder below `dir`. Returns the folder. Rejects with a sentence when this
 * clone lacks the commit.
 */
export async function extractCommit(commit: string, dir: string): Promise<string> {
  const git = (...args: string[]) => runFile('git', ['-C', ROOT, ...args], { timeout: GIT_MS });
  await git('cat-file', '-e', `${commit}^{commit}`).catch(() => {
    throw new Error(
      `The commit ${commit} is not in this clone: fetch it with "git fetch --unshallow", or "git fetch origin ${commit}".`,
    );
  });
  const folder = join(dir, `version-${commit.slice(0, 12)}`);
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await git('archive', '--format=tar', '--output', archive, commit);
  await runFile('tar', ['-xf', archive, '-C', folder], { timeout: GIT_MS });
  await rm(archive);
  return await realpath(folder);
}

/**
 * Links the packages of this clone if the commit's lock file names the same packages. Otherwise, installs the packages
 * of the commit.
 */
async function installInto(folder: string): Promise<void> {
  const [before, now] = await Promise.all([folder, ROOT].map(root => lockedPackages(root)));
  if (before !== now) {
    const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', args, {
      ...{ what: 'installing the packages of the other version', log: silent, timeoutMs: INSTALL_MS },
      cwd: folder,
    });
    return;
  }
  const [mine, its] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  await mkdir(join(its, '@recording-request'), { recursive: true });
  for (const name of await readdir(mine))
    if (name !== '@recording-request') await symlink(join(mine, name), join(its, name));
  // Copies the relative links, so that the commit uses its own workspaces.
  for (const name of await readdir(join(mine, '@recording-request')))
    await symlink(await readlink(join(mine, '@recording-request', name)), join(its, '@recording-request', name));
}

/** Returns the entries of a lock file that are not workspaces. */
async function lockedPackages(root: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean }>;
  };
  const foreign = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return JSON.stringify(foreign);
}
