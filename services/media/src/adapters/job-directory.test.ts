import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freeShare, openJobDirectories } from './job-directory.ts';

test('a start removes the files of killed processes and keeps those of living ones', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'jobs-'));
  try {
    const root = join(workDir, 'recording-request-media');
    const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
    await once(child, 'exit');
    const [dead, living, stale] = [`${child.pid}-aaaaaa`, `${process.ppid}-bbbbbb`, `${process.ppid}-cccccc`];
    // In a container every process has the same id as its killed predecessor.
    const [ofThis, ofTheOneBefore] = [`${process.pid}-dddddd`, `${process.pid}-eeeeee`];
    for (const name of [dead, living, stale, ofThis, ofTheOneBefore]) {
      await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, name, 'source'), 'bytes');
    }
    const before = new Date(Date.now() - 60_000);
    await utimes(join(root, stale), before, before);
    const justBefore = new Date(performance.timeOrigin - 1_000);
    await utimes(join(root, ofTheOneBefore), justBefore, justBefore);
    await mkdir(join(root, 'of-somebody-else'));
    const jobs = await openJobDirectories(workDir, 20_000);
    assert.deepEqual((await readdir(root)).sort(), [living, ofThis, 'of-somebody-else'].sort());
    {
      await using job = await jobs.open();
      await writeFile(join(job.path, 'source'), 'bytes');
      assert.equal((await readdir(root)).length, 4);
    }
    await jobs.open();
    await jobs.close();
    assert.equal((await readdir(root)).length, 3, 'a job removes its folder, and the service removes the rest');
    assert.equal(await jobs.isShortOf(1), false);
    assert.equal(await jobs.isShortOf(Number.MAX_SAFE_INTEGER), true);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
});

test('a small disk reports its free share, and a large one whether it has room', () => {
  const shareOf = (freeGiB: number, allGiB: number) =>
    freeShare({ bavail: freeGiB * 2 ** 18, blocks: allGiB * 2 ** 18, bsize: 4096 });
  assert.deepEqual([shareOf(1, 10), shareOf(1, 1_000), shareOf(100, 1_000), shareOf(0, 0)], [0.1, 0.0625, 1, 0]);
});
