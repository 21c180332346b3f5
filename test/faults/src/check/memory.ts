import type { ServiceName } from '@recording-request/stack/service-plan';
import type { Harness } from '../harness/harness.ts';

/** Notes the memory use of each process. A process that the kernel killed above the limit of its manifest is a violation. */
export async function memoryOf(
  { fleet, noted, violated }: Pick<Harness, 'fleet' | 'noted' | 'violated'>,
  limited: ServiceName[],
): Promise<void> {
  for (const { service, index, memory } of limited.flatMap(name => fleet.of(name))) {
    const name = `${service}-${index}`;
    if (!memory) {
      noted(`${name}: its memory was not limited here; a limit needs root and a divisible memory cgroup`);
      continue;
    }
    const kills = await memory.kills();
    noted(`${name}: at most ${memory.peakMiB} of ${memory.limitMiB} MiB, ${kills} processes killed for memory`);
    if (kills > 0) violated(`${name} exceeded the ${memory.limitMiB} MiB of its manifest and was killed`);
  }
}
