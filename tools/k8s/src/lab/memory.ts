import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const EVERY_MS = 1_000;

/** Notes the most that a cgroup of version 1 holds, until it is disposed of. */
export interface MemoryWatch extends Disposable {
  /** Bytes; 0 before the first look. */
  readonly peak: number;
}

/** Looks every second at the memory of a cgroup and of those below it. */
export function watchMemory(group: string): MemoryWatch {
  let peak = 0;
  const look = async () => {
    const usage = await readFile(join(group, 'memory.usage_in_bytes'), 'utf8');
    const stat = await readFile(join(group, 'memory.stat'), 'utf8');
    peak = Math.max(peak, heldBytes(usage, stat));
  };
  // A look that fails is followed by the next.
  const timer = setInterval(() => void look().catch(() => {}), EVERY_MS);
  return {
    get peak() {
      return peak;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/**
 * Returns the bytes that a cgroup holds, without cached files, which the kernel drops where memory is short: `usage` and `stat`
 * are its `memory.usage_in_bytes` and `memory.stat`. Files in memory (tmpfs) count. Throws where `stat` lacks a figure.
 */
export function heldBytes(usage: string, stat: string): number {
  const of = (name: string) => {
    const [, bytes] = new RegExp(`^${name} (\\d+)$`, 'm').exec(stat) ?? [];
    if (bytes === undefined) throw new Error(`memory.stat has no ${name}`);
    return Number(bytes);
  };
  return Number(usage) - of('total_cache') + of('total_shmem');
}
