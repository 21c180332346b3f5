import { randomUUID } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Download, FileInfo, ResumeFrom } from './download.ts';
import { DownloadChangedError, IntegrityError } from './errors.ts';
import type { CursorStore } from './events.ts';
import type { CallOptions } from './transport.ts';

/** Options of `saveTo`. */
export interface SaveOptions extends CallOptions {
  /** Gets the number of bytes in the file and the size of the whole, which may be unknown. */
  onProgress?: (bytes: number, size: number | undefined) => void;
  /** The hex SHA-256 that the file must have. It is also checked if the service does not give one. */
  sha256?: string;
}

const CHANGES = 3;

/**
 * Saves a download to a file, for Node, Deno and Bun. The bytes go to `<path>.part`, which is renamed once it is
 * complete and checked, so that `path` never has half a file. A later call continues a `.part` of the same version.
 * `<path>.part.etag` names that version. Only one call at a time may save to a path. The result has no `sha256` if only
 * the length could be checked. Throws what `Download` throws, and the errors of the file system, such as ENOSPC.
 */
export async function saveTo(download: Download, path: string, options: SaveOptions = {}): Promise<FileInfo> {
  await mkdir(dirname(path), { recursive: true });
  for (let change = 1; ; change++) {
    try {
      return await saveOnce(download, path, options);
    } catch (error) {
      if (!(error instanceof DownloadChangedError) || change >= CHANGES) throw error;
      await discard(path);
    }
  }
}

async function saveOnce(download: Download, path: string, { onProgress, ...options }: SaveOptions): Promise<FileInfo> {
  const [part, tag] = [`${path}.part`, `${path}.part.etag`];
  const opened = await download.open({ ...options, from: await partOf(part, tag) });
  const { info, offset } = opened;
  // The tag must always name the version of the bytes in the part. So remove the tag before these bytes change, and
  // write the new tag before new bytes arrive.
  if (offset === 0) {
    await discard(path);
    if (info.etag) await writeFile(tag, info.etag);
  }
  const file = await open(part, 'a');
  try {
    let bytes = offset;
    for await (const chunk of opened) {
      await file.appendFile(chunk);
      bytes += chunk.length;
      onProgress?.(bytes, info.size);
    }
    await file.sync();
  } catch (error) {
    await file.close();
    // A later call would continue these bytes, so they must not stay if they are wrong or cannot be continued.
    if (!isResumable(error, info)) await discard(path);
    throw error;
  }
  await file.close();
  await rename(part, path);
  await rm(tag, { force: true });
  return info;
}

/** Removes `<path>.part`, and before it `<path>.part.etag`: without a tag, no later call continues the part. */
async function discard(path: string): Promise<void> {
  await rm(`${path}.part.etag`, { force: true });
  await rm(`${path}.part`, { force: true });
}

const isResumable = (error: unknown, { etag }: FileInfo): boolean =>
  etag !== undefined && !(error instanceof DownloadChangedError) && !(error instanceof IntegrityError);

/** Returns the `.part` file of an earlier call, to continue it; undefined if there is none with an ETag. */
async function partOf(part: string, tag: string): Promise<ResumeFrom | undefined> {
  const [stats, etag] = await Promise.all([stat(part).catch(missing), readFile(tag, 'utf8').catch(missing)]);
  if (!stats?.size || !etag) return undefined;
  return { offset: stats.size, etag, prior: bytesOf(part, stats.size) };
}

async function* bytesOf(path: PathLike, size: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { end: size - 1 })) yield chunk as Uint8Array;
}

/** Keeps the cursor of `events()` in a file, which is replaced atomically. */
export function fileCursor(path: string): CursorStore {
  return {
    async load() {
      return (await readFile(path, 'utf8').catch(missing))?.trim() || undefined;
    },
    async save(cursor) {
      const made = `${path}.${randomUUID()}.tmp`;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(made, `${cursor}\n`, { mode: 0o600 });
      await rename(made, path);
    },
  };
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
