import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServers } from '@recording-request/stack/servers';
import { waitFor } from '@recording-request/stack/wait';
import { clear, fill, mountSmall } from '@recording-request/testing/small-disk';
import { badAnswers } from '../check/answers.ts';
import { trickle } from '../contributors/trickle.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

const MIB = 1024 * 1024;

let skipped: string | undefined;
const isSkipped = (name: string): boolean => {
  if (skipped) process.stdout.write(`    ${name} is skipped: ${skipped}\n`);
  return skipped !== undefined;
};

let storeDir = '';

export const storeDiskFull: FaultCase = {
  name: 'store-disk-full',
  promise:
    'While the object store’s disk is full, uploads are delayed, not refused; once it has space, they resume at their offset',
  bounded: false,
  harness: {
    async servers(dataDir, stack) {
      const dir = join(dataDir, 'full');
      storeDir = join(dir, 's3');
      skipped = await mountSmall(storeDir, 96 * MIB, stack);
      if (skipped) return {};
      const { S3_ENDPOINT: _, S3_ACCESS_KEY: __, S3_SECRET_KEY: ___, ...env } = process.env;
      const servers = stack.use(await startServers({ dataDir: dir, only: ['s3'], log: () => {}, env }));
      return servers.env;
    },
  },
  async run(harness, { random, submissions, short }) {
    if (isSkipped('store-disk-full')) return;
    const fullMs = short ? 6_000 : 20_000;
    const load = trickle(harness, submissions, random, { overMs: fullMs * 1.5, padBytes: 100_000 });
    await delay(fullMs / 4);
    await fill(storeDir, 0);
    await delay(fullMs);
    const full = harness.gateway.incidents.length;
    await clear(storeDir);
    const entries = await load;
    if (full === 0) harness.violated('no upload reached the full disk: the case tested nothing');
    for (const { outcome, why } of entries)
      if (outcome !== 'ok') harness.violated(`a take was not accepted once the disk had space: ${why}`);
    badAnswers(harness);
  },
};

export const workDiskFull: FaultCase = {
  name: 'media-work-disk-full',
  promise: 'While ffmpeg’s disk is full, clips still land; once it has space, each clip gets all of its media',
  bounded: false,
  harness: {
    async servers(dataDir, stack) {
      skipped = await mountSmall(join(dataDir, 'media-work'), 96 * MIB, stack);
      return {};
    },
  },
  async run(harness, { random, submissions, short }) {
    if (isSkipped('media-work-disk-full')) return;
    const fullMs = short ? 8_000 : 24_000;
    const load = trickle(harness, submissions, random, { overMs: fullMs, speech: 0.5 });
    // Leaves a different number of bytes free each time, but always too few. So each time, the disk is full at a
    // different file.
    for (const butBytes of [0, 16, 40, 64, 96].map(kib => kib * 1024)) {
      await clear(harness.workDir);
      await fill(harness.workDir, butBytes);
      await delay(fullMs / 5);
    }
    const entries = await load;
    await clear(harness.workDir);
    for (const { outcome, why } of entries)
      if (outcome !== 'ok') harness.violated(`a clip did not land while ffmpeg’s disk was full: ${why}`);
    badAnswers(harness);
    const log = await readFile(join(harness.dataDir, 'logs', 'media-0.log'), 'utf8');
    if (!/ENOSPC|No space left|disk is full/.test(log)) harness.violated('media never reached the full disk');
    await allThumbnails(harness, entries.length);
  },
};

/** Checks that every clip has thumbnails in the end, even if the disk was full at first. */
async function allThumbnails(harness: Harness, count: number): Promise<void> {
  const made = async () => {
    const all = await Promise.all(harness.owner.projects.map(({ projectId }) => harness.owner.submissions(projectId)));
    const ready = all.flat().filter(({ mediaStatus }) => mediaStatus !== 'processing');
    return ready.length >= count ? ready : undefined;
  };
  const wait = { timeoutMs: 180_000, checkMs: 10_000, intervalMs: 500 };
  for (const { submissionId, thumbnailStartUrl } of await waitFor('all media to be final', made, wait))
    if (!thumbnailStartUrl) harness.violated(`${submissionId} has no thumbnails after the disk was full`);
}
