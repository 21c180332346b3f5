import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { ensurePython, pipInstall, WrongHashError } from './pip.ts';
import { ensureWhisper } from './whisper.ts';

const POCKETSPHINX = 'pocketsphinx==5.1.1';

/** The python that runs the speech server, the folder for its PYTHONPATH, and its speech engine. */
export interface SpeechInstall {
  python: string;
  pythonPath: string;
  engine: 'whisper' | 'pocketsphinx';
  /** The folder of Whisper's model. */
  modelDir?: string;
}

/**
 * Finds or installs the parts of the speech server: ffmpeg, and the engine that SPEECH_ENGINE names. Without
 * SPEECH_ENGINE, uses Whisper or, if Whisper is unavailable, PocketSphinx with a warning. A file with a wrong hash
 * always fails. Each Python version has a separate folder, because wheels are compiled.
 */
export async function ensureSpeech(context: InstallContext): Promise<SpeechInstall> {
  const { env, log, signal } = context;
  const wanted = env.SPEECH_ENGINE || undefined;
  if (wanted !== undefined && wanted !== 'whisper' && wanted !== 'pocketsphinx')
    throw new Error(`SPEECH_ENGINE is whisper or pocketsphinx, not "${wanted}".`);
  await ensureDebian(['ffmpeg'], log, { env, signal });
  const { python } = await ensurePython(context);
  if (wanted === 'pocketsphinx') return { python, ...(await ensurePocketsphinx(context)) };
  try {
    return { python, engine: 'whisper', ...(await ensureWhisper(context)) };
  } catch (error) {
    if (wanted === 'whisper' || error instanceof WrongHashError || signal?.aborted) throw error;
    log(`WARNING: Whisper cannot be installed (${firstLine(error)}).`);
    log(
      'WARNING: PocketSphinx is used instead. It recognises only English, mishears many words, and writes no punctuation.',
    );
    return { python, ...(await ensurePocketsphinx(context)) };
  }
}

async function ensurePocketsphinx(context: InstallContext): Promise<Pick<SpeechInstall, 'engine' | 'pythonPath'>> {
  const { env, log, signal } = context;
  const { version } = await ensurePython(context);
  const pythonPath = await installOnce({
    root: cacheRoot(env),
    name: `pocketsphinx-${POCKETSPHINX.split('==')[1]}-python${version}`,
    log,
    signal,
    fill: into => pipInstall(POCKETSPHINX, into, { ...context, what: 'downloading PocketSphinx (30 MB)' }),
  });
  return { engine: 'pocketsphinx', pythonPath };
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
