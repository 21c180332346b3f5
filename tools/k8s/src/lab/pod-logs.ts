import { link, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Place } from './place.ts';

const LOOK_MS = 1_000;
const POD_LOGS = 'var/log/pods';

/**
 * Keeps what containers write beside the other logs, in `pods`, until it is disposed of: a node removes it with the pod, and who
 * looks for the cause of a failed request finds the pods of then gone. One that ends within a second is missed.
 */
export function keepPodLogs({ state, logs }: Pick<Place, 'state' | 'logs'>): AsyncDisposable {
  const from = join(state, POD_LOGS);
  const kept = new Set<string>();
  const look = async () => {
    // A second name for the file: it is there, and grows, when the first is gone.
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
