import { link, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Place } from './place.ts';

const LOOK_MS = 1_000;
const POD_LOGS = 'var/log/pods';

/**
 * Until disposal, keeps the output of containers in `pods`, next to the other logs. A node removes a log with its pod,
 * but an engineer may need the log later. Misses a container that ends within a second.
 */
export function keepPodLogs({ state, logs }: Pick<Place, 'state' | 'logs'>): AsyncDisposable {
  const from = join(state, POD_LOGS);
  const kept = new Set<string>();
  const look = async () => {
    // Adds a hard link, which keeps the growing file after the node has removed its own name of the file.
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
