import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { run } from '@recording-request/stack/install/run';

const ROOT = resolve(import.meta.dirname, '../../../..');
const BASELINE = 'compatibility/baseline.json';
const GIT_MS = 60_000;
const INSTALL_MS = 15 * 60_000;
const GENERATE_MS = 5 * 60_000;
const runFile = promisify(execFile);
const silent = () => {};

/** Checks the version that compatibility/baseline.json names out as `extractPrevious` does, ready to run. */
export async function checkOutPrevious(dir: string): Promise<string> {
  const folder = await extractPrevious(dir);
  await installInto(folder);
  const path = [join(folder, 'node_modules/.bin'), process.env.PATH].join(':');
  await run('npm', ['run', '--silent', 'generate'], {
    ...{ what: 'generating the code of the version before', log: silent, timeoutMs: GENERATE_MS },
    cwd: folder,
    env: { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1' },
  });
  return await realpath(folder);
}

/**
 * Puts the sources of the version that compatibility/baseline.json names into a folder below `dir`, and returns the folder.
 * Rejects with a sentence where this clone does not have that commit.
 */
export async function extractPrevious(dir: string): Promise<string> {
  const { previous } = JSON.parse(await readFile(join(ROOT, BASELINE), 'utf8')) as { previous: string };
  const git = (...args: string[]) => runFile('git', ['-C', ROOT, ...args], { timeout: GIT_MS });
  await git('cat-file', '-e', `${previous}^{commit}`).catch(() => {
    throw new Error(
      `The version before, ${previous} (${BASELINE}), is not in this clone: fetch it with "git fetch --unshallow", or "git fetch origin ${previous}".`,
    );
  });
  const folder = join(dir, `version-${previous.slice(0, 12)}`);
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await git('archive', '--format=tar', '--output', archive, previous);
  await runFile('tar', ['-xf', archive, '-C', folder], { timeout: GIT_MS });
  await rm(archive);
  return await realpath(folder);
}

/** Takes the packages of this clone where its lock file names the same, and installs them otherwise. */
async function installInto(folder: string): Promise<void> {
  const [before, now] = await Promise.all([folder, ROOT].map(root => lockedPackages(root)));
  if (before !== now) {
    const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', args, {
      ...{ what: 'installing the packages of the version before', log: silent, timeoutMs: INSTALL_MS },
      cwd: folder,
    });
    return;
  }
  const [mine, its] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  await mkdir(join(its, '@recording-request'), { recursive: true });
  for (const name of await readdir(mine))
    if (name !== '@recording-request') await symlink(join(mine, name), join(its, name));
  // The workspaces are its own: these links are relative.
  for (const name of await readdir(join(mine, '@recording-request')))
    await symlink(await readlink(join(mine, '@recording-request', name)), join(its, '@recording-request', name));
}

/** What a lock file says of packages that are not of this repository. */
async function lockedPackages(root: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean }>;
  };
  const foreign = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return JSON.stringify(foreign);
}
