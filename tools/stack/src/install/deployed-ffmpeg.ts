import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCode } from '../files.ts';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { onPath } from './find.ts';
import { fingerprintOf } from './fingerprint.ts';
import { run } from './run.ts';

/** The folder with the recipe that compiles ffmpeg and ffprobe for the workers' image. */
const RECIPE = fileURLToPath(new URL('../../../../deploy/ffmpeg', import.meta.url));
const TOOLS = ['dpkg-dev', 'gcc', 'libc6-dev', 'make', 'nasm', 'pkg-config', 'libdav1d-dev', 'zlib1g-dev'];
const FETCH_LIMIT_MS = 5 * 60_000;
const COMPILE_LIMIT_MS = 60 * 60_000;
const APT = '/etc/apt';

/**
 * Returns the folder of the same ffmpeg and ffprobe as in the workers' image. Compiles them from Debian's source once
 * per machine (about five minutes on two cores), because Debian's own programs load 200 libraries and start about 50 ms
 * slower. Needs root and apt. Rejects with a sentence that says what is missing.
 */
export async function ensureDeployedFfmpeg(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `ffmpeg-${await fingerprintOf([RECIPE])}`,
    log,
    signal,
    fill: async into => {
      if (!(await onPath('apt-get', env)))
        throw new Error(
          'ffmpeg as it is deployed is compiled from the source of Debian, and there is no apt-get here.',
        );
      await ensureDebian(TOOLS, log, { env, ...(signal && { signal }) });
      const work = join(into, 'source');
      await mkdir(work);
      await fetchSource(work, context);
      const source = (await readdir(work, { withFileTypes: true })).find(
        entry => entry.isDirectory() && entry.name.startsWith('ffmpeg-'),
      );
      if (!source) throw new Error('apt-get fetched no source of ffmpeg.');
      log('compiling ffmpeg as it is deployed (some five minutes on two cores; once per machine) …');
      await run('sh', [join(RECIPE, 'compile.sh'), join(into, 'bin')], {
        ...{ env, log, signal, what: 'compiling ffmpeg', timeoutMs: COMPILE_LIMIT_MS, cwd: join(work, source.name) },
        progress: lines => `${lines} lines so far`,
      });
      await rm(work, { recursive: true });
    },
  });
  return join(dir, 'bin');
}

/**
 * Returns the variable that makes services use the programs in this folder. Without a folder, returns no variable, and
 * the services use the system's programs.
 */
export const withPrograms = (folder: string | undefined): Record<string, string> =>
  folder === undefined ? {} : { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };

/**
 * Unpacks the source in a folder with separate package lists. The system's lists seldom include sources, and must stay
 * unchanged.
 */
async function fetchSource(work: string, { env, log, signal }: InstallContext): Promise<void> {
  const own = join(work, 'apt');
  const [parts, lists] = [join(own, 'parts'), join(own, 'lists')];
  await Promise.all([mkdir(parts, { recursive: true }), mkdir(join(lists, 'partial'), { recursive: true })]);
  // Copies the files behind links, because the code below changes the copies.
  const dereference = true;
  await cp(join(APT, 'sources.list.d'), parts, { recursive: true, dereference }).catch(unlessMissing);
  await cp(join(APT, 'sources.list'), join(parts, 'main.list'), { dereference }).catch(unlessMissing);
  for (const name of await readdir(parts)) {
    await writeFile(join(parts, name), sourcesOnly(await readFile(join(parts, name), 'utf8')));
  }
  const options = [
    'Dir::Etc::SourceList=/dev/null',
    `Dir::Etc::SourceParts=${parts}`,
    `Dir::State::Lists=${lists}`,
    // Downloads as root, because apt's download user cannot write to this folder.
    'APT::Sandbox::User=root',
  ].flatMap(option => ['-o', option]);
  const step = { env, log, signal, cwd: work, timeoutMs: FETCH_LIMIT_MS };
  await run('apt-get', [...options, 'update'], { ...step, what: 'fetching the lists of Debian sources' });
  await run('apt-get', [...options, 'source', 'ffmpeg'], { ...step, what: 'fetching the source of ffmpeg (10 MB)' });
}

/** Returns an apt list, in either format, that names source packages instead of binary packages. */
export const sourcesOnly = (list: string): string =>
  list.replace(/^Types:.*$/gm, 'Types: deb-src').replace(/^deb(?=\s)/gm, 'deb-src');

function unlessMissing(error: unknown): void {
  if (!isCode(error, 'ENOENT')) throw error;
}
