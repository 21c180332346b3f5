import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { ensurePython, pipInstall } from './pip.ts';

const WHEEL = 'pocketsphinx==5.1.1';

/** The python that runs the speech server, and the folder to put on its PYTHONPATH. */
export interface SpeechInstall {
  python: string;
  pythonPath: string;
}

/** Finds or installs PocketSphinx with its English model (the cache, the registry), and ffmpeg. One folder per Python version, because the wheel is compiled. */
export async function ensureSpeech(context: InstallContext): Promise<SpeechInstall> {
  const { env, log, signal } = context;
  await ensureDebian(['ffmpeg'], log, { env, signal });
  const { python, version } = await ensurePython(context);
  const pythonPath = await installOnce({
    root: cacheRoot(env),
    name: `pocketsphinx-${WHEEL.split('==')[1]}-python${version}`,
    log,
    signal,
    fill: into => pipInstall(WHEEL, into, { ...context, what: 'downloading PocketSphinx (30 MB)' }),
  });
  return { python, pythonPath };
}
