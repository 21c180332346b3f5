import { totalmem } from 'node:os';

/**
 * Returns how many bytes of memory this process may use: its container's limit (cgroup v1 or v2), or the machine's
 * memory if the container has no lower limit.
 */
export function memoryLimit(container = process.constrainedMemory(), machine = totalmem()): number {
  // Without a limit, some kernels report 0, others a huge number.
  return container > 0 ? Math.min(container, machine) : machine;
}
