import { createReadStream } from 'node:fs';
import { mkdir, opendir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';
import type { Content, Entry, Place } from './place.ts';
import { contentOf, metered, writeWhole } from './streams.ts';

/** A backup of `objects` in the folder `dir`. `tick` gets the number of bytes of each step. */
export function folderPlace(
  dir: string,
  { objects, tick }: { objects: Objects; tick: (bytes: number) => void },
): Place {
  const at = (path: string) => join(dir, path);

  async function write(path: string, source: AsyncIterable<Buffer>): Promise<Content> {
    const counted = metered(source, tick);
    await writeWhole(at(path), counted.chunks);
    return counted.content();
  }

  async function read(path: string): Promise<Readable | undefined> {
    // A missing file must not become an error of the stream.
    return (await entry(path)) && createReadStream(at(path));
  }

  async function entry(path: string): Promise<Entry | undefined> {
    const found = await stat(at(path)).catch(error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    return found && { path, modifiedAt: found.mtime, isCurrent: true };
  }

  return {
    name: dir,
    async open({ isWritten }) {
      if (isWritten) await mkdir(dir, { recursive: true, mode: 0o700 });
    },
    write,
    read,
    entry,
    async held(path, { size }) {
      const found = await stat(at(path)).catch(() => undefined);
      if (!found || found.size !== size) return undefined;
      return await contentOf(createReadStream(at(path)), tick);
    },
    async copyIn({ key }, path) {
      try {
        return await write(path, (await objects.get(key)) as AsyncIterable<Buffer>);
      } catch (error) {
        if (isMissing(error) || (await objects.stat(key).catch(() => true)) === undefined) return undefined;
        throw error;
      }
    },
    async copyOut(path, { key, size, contentType }) {
      const body = createReadStream(at(path));
      body.on('data', chunk => tick(chunk.length));
      await objects.put(key, body, { contentType, size });
    },
    async *list() {
      for await (const each of await opendir(dir, { recursive: true })) {
        if (!each.isFile()) continue;
        const found = await entry(relative(dir, join(each.parentPath, each.name)));
        if (found) yield found;
      }
    },
    async remove(entries) {
      for (const { path } of entries) {
        await unlink(at(path));
        tick(0);
        // Removes the folders that are empty now, the deepest first.
        for (let parent = dirname(path); parent !== '.'; parent = dirname(parent))
          if (
            !(await rmdir(at(parent)).then(
              () => true,
              () => false,
            ))
          )
            break;
      }
      return [];
    },
    async endOpenWrites() {},
  };
}
