import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const EVERY_MS = 1_000;

/** Records the peak memory of a version 1 cgroup until disposal. */
export interface MemoryWatch extends Disposable {
  /** The peak in bytes; 0 before the first sample. */
  readonly peak: number;
}

/** Samples the memory of a cgroup and its children every second. */
export function watchMemory(group: string): MemoryWatch {
  let peak = 0;
  const look = async () => {
    const usage = await readFile(join(group, 'memory.usage_in_bytes'), 'utf8');
    const stat = await readFile(join(group, 'memory.stat'), 'utf8');
    peak = Math.max(peak, heldBytes(usage, stat));
  };
  const timer = setInterval(() => void look().catch(() => {}), EVERY_MS);
  return {
    get peak() {
      return peak;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/**
 * Returns the bytes that a cgroup holds. Excludes cached files, which the kernel drops when memory is short, but
 * includes files in memory (tmpfs). `usage` and `stat` are the texts of `memory.usage_in_bytes` and `memory.stat`.
 * Throws when `stat` lacks a figure.
 */
export function heldBytes(usage: string, stat: string): number {
  const of = (name: string) => {
    const [, bytes] = new RegExp(`^${name} (\\d+)$`, 'm').exec(stat) ?? [];
    if (bytes === undefined) throw new Error(`memory.stat has no ${name}`);
    return Number(bytes);
  };
  return Number(usage) - of('total_cache') + of('total_shmem');
}
