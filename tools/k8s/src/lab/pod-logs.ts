import { link, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Place } from './place.ts';

const LOOK_MS = 1_000;
const POD_LOGS = 'var/log/pods';

/**
 * Keeps the output of containers in `pods`, next to the other logs, until disposal: a node removes a log with its pod, but
 * an engineer may need it later. Misses a container that ends within a second.
 */
export function keepPodLogs({ state, logs }: Pick<Place, 'state' | 'logs'>): AsyncDisposable {
  const from = join(state, POD_LOGS);
  const kept = new Set<string>();
  const look = async () => {
    // A hard link keeps the file, which still grows, after the node removes its own name.
    for (const name of await readdir(from, { recursive: true }).catch(() => []))
      if (name.endsWith('.log') && !kept.has(name)) {
        const to = join(logs, 'pods', name);
        await mkdir(dirname(to), { recursive: true });
        await link(join(from, name), to).catch(() => {});
        kept.add(name);
      }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => {});
  }, LOOK_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}
