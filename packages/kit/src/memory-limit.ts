import { totalmem } from 'node:os';

/**
 * Returns how many bytes of memory this process may use: its container's limit (cgroup v1 or v2), or the machine's memory
 * where there is no limit below that.
 */
export function memoryLimit(container = process.constrainedMemory(), machine = totalmem()): number {
  // Without a limit some kernels report none as 0, others as a number beyond every machine.
  return container > 0 ? Math.min(container, machine) : machine;
}
