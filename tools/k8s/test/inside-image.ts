import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Builder } from '../src/images/builder.ts';

const runFile = promisify(execFile);
const LIMIT_MS = 5 * 60_000;

/** The fields of an image's configuration that a container engine applies. */
interface Config {
  Env: string[];
  Entrypoint: string[];
  User: string;
  WorkingDir: string;
}

export async function configOf({ buildah }: Builder, image: string): Promise<Config> {
  const said = await buildah('reading an image', ['inspect', '--type', 'image', image]);
  const { config } = JSON.parse(said).OCIv1;
  return config;
}

/** Mounts `$2` at `$1$3`, makes everything but /tmp read-only, and runs the rest of the arguments in the root folder `$1`. */
const SCRIPT = `set -e
root=$1 from=$2 at=$3 user=$4 group=$5 dir=$6; shift 6
mount --bind "$root" "$root"
mount --bind "$from" "$root$at"
mount --bind -o ro,remount "$root$at"
mount --rbind /dev "$root/dev"
mount --bind -o ro,remount "$root"
mount -t tmpfs tmpfs "$root/tmp"
exec unshare --root "$root" --wd "$dir" --setgid "$group" --setuid "$user" "$@"`;

/**
 * Runs an image's files in the same way as a container engine: with its user, environment and entry point, without a
 * network, and with a folder of the host mounted at `at`. Everything except /tmp is read-only. Resolves to the exit
 * status and the output.
 */
export async function runInside(
  { root, config }: { root: string; config: Config },
  { from, at }: { from: string; at: string },
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  for (const folder of ['dev', config.WorkingDir, at]) await mkdir(join(root, folder), { recursive: true });
  const [user = '', group = ''] = config.User.split(':');
  const env = Object.fromEntries(config.Env.map(each => each.split(/=(.*)/s).slice(0, 2)));
  const places = [root, from, at, user, group, config.WorkingDir];
  const script = ['sh', '-c', SCRIPT, 'sh', ...places, ...config.Entrypoint, ...args];
  try {
    return { code: 0, ...(await runFile('unshare', ['--mount', '--net', ...script], { env, timeout: LIMIT_MS })) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr };
  }
}
