import type { ServiceName } from '@recording-request/stack/service-plan';
import type { Harness } from '../harness/harness.ts';

/** Notes what each process took of the memory of its manifest. One that the kernel ended because it took more is a violation. */
export async function memoryOf(
  { fleet, noted, violated }: Pick<Harness, 'fleet' | 'noted' | 'violated'>,
  limited: ServiceName[],
): Promise<void> {
  for (const { service, index, memory } of limited.flatMap(name => fleet.of(name))) {
    const name = `${service}-${index}`;
    if (!memory) {
      noted(`${name}: its memory was not limited here, as that takes root and a cgroup of memory that may be divided`);
      continue;
    }
    const kills = await memory.kills();
    noted(`${name}: at most ${memory.peakMiB} of ${memory.limitMiB} MiB, ${kills} processes killed for want of memory`);
    if (kills > 0) violated(`${name} took more than the ${memory.limitMiB} MiB of its manifest and was killed`);
  }
}
