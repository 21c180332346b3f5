import { readdir, readFile, readlink } from 'node:fs/promises';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import { droppedOf } from './dropped.ts';
import { observe } from './metrics.ts';
import type { Signal } from './settings.ts';

// The maximum number of descriptors to examine, because each costs a `readlink`.
const LOOKED_AT_MAX = 5_000;
const AT_ONCE = 100;
const DESCRIPTORS = '/proc/self/fd';

/**
 * Reports the resources and the limits of this process, and how many records of `signals` were not sent. Called once.
 */
export function reportProcess(signals: readonly Signal[]): void {
  observe('recording.telemetry.dropped', () =>
    signals.map(signal => [droppedOf(signal), { 'recording.signal': signal }] as const),
  );
  observe('process.cpu.time', () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, { 'cpu.mode': 'user' }],
      [system / 1e6, { 'cpu.mode': 'system' }],
    ];
  });
  observe('process.memory.usage', () => [[process.memoryUsage.rss(), {}]]);
  observe('recording.memory.limit', () => [[memoryLimit(), {}]]);
  observe('process.open_file_descriptor.count', async () => [[(await descriptors()).length, {}]]);
  observe('recording.file_descriptor.limit', async () => [[await descriptorLimit(), {}]]);
  observe('recording.sockets', async () => [[await countSockets(), {}]]);
}

/** Fails on a system without /proc, and then nothing is reported. */
const descriptors = (): Promise<string[]> => readdir(DESCRIPTORS);

async function countSockets(): Promise<number> {
  const all = (await descriptors()).slice(0, LOOKED_AT_MAX);
  let sockets = 0;
  while (all.length > 0) {
    // A descriptor may be closed in the meantime.
    const some = all.splice(0, AT_ONCE).map(each => readlink(`${DESCRIPTORS}/${each}`).catch(() => ''));
    for (const target of await Promise.all(some)) if (target.startsWith('socket:')) sockets += 1;
  }
  return sockets;
}

async function descriptorLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (soft === undefined) throw new Error('there is no limit of open files');
  return Number(soft);
}
