import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { observe } from '@recording-request/kit-telemetry/metrics';

/** The folder of one job. Disposing removes it. */
export interface JobDirectory extends AsyncDisposable {
  path: string;
}

export interface JobDirectories {
  open(): Promise<JobDirectory>;
  /** Returns whether less than `bytes` are free. */
  isShortOf(bytes: number): Promise<boolean>;
  /** Removes the folders of unfinished jobs. */
  close(): Promise<void>;
}

// The disk size in the manifests. A larger disk counts as this large, because a tenth of a terabyte is enough space
// although it is a small share.
const COUNTED_BYTES = 16 * 2 ** 30;
const NAME = /^(\d+)-[A-Za-z0-9]+$/;
const PROCESS_STARTED = performance.timeOrigin;

/**
 * Creates job folders under `<workDir>/recording-request-media`. First removes the folders of killed processes. A
 * folder name contains its process id, so processes that cannot see each other (containers) must not share a `workDir`.
 */
export async function openJobDirectories(workDir: string, longestJobMs: number): Promise<JobDirectories> {
  const root = join(workDir, 'recording-request-media');
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeLeftovers(root, longestJobMs);
  const open = new Set<string>();
  const endReport = observe('recording.disk.free', async () => {
    return [[freeShare(await statfs(root)), { 'recording.disk': 'work' }]];
  });
  const remove = async (path: string) => {
    await rm(path, { recursive: true, force: true });
    open.delete(path);
  };
  return {
    async open() {
      const path = await mkdtemp(join(root, `${process.pid}-`));
      open.add(path);
      return { path, [Symbol.asyncDispose]: () => remove(path) };
    },
    async isShortOf(bytes) {
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize < bytes;
    },
    async close() {
      endReport();
      await Promise.all([...open].map(remove));
    },
  };
}

/** Returns the free share of a disk. A disk counts as at most 16 GiB large. */
export function freeShare({ bavail, blocks, bsize }: Record<'bavail' | 'blocks' | 'bsize', number>): number {
  const counted = Math.min(blocks, COUNTED_BYTES / bsize);
  return counted === 0 ? 0 : Math.min(1, bavail / counted);
}

async function removeLeftovers(root: string, longestJobMs: number): Promise<void> {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const pid = Number(NAME.exec(name)?.[1]);
    if (!Number.isInteger(pid)) continue;
    const started = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    // A stale folder is older than any running job, so another process now has the process id in its name. In a
    // container, each process has the same id as the previous one.
    const isStale = started < (pid === process.pid ? PROCESS_STARTED : Date.now() - 2 * longestJobMs);
    if (isStale || !isAlive(pid)) await rm(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
