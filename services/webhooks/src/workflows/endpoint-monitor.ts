import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Targets } from '../adapters/targets.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import type { Store } from '../store/store.ts';

/**
 * Looks now and then at each endpoint that is paused, failing or was just resumed, whether its address was set again:
 * nothing tells this service so until the next event. Each look is made by one process.
 */
export function startLookout(deps: {
  store: Store;
  targets: Targets;
  checkMs: number;
  wake(): void;
  log: Logger;
}): Stoppable {
  const { store, checkMs, wake, log } = deps;
  const stopping = new AbortController();
  const turn = async () => {
    while (!stopping.signal.aborted) {
      const now = new Date();
      const endpoint = await store.endpoints.takeDueLook(now, new Date(now.getTime() + checkMs));
      if (!endpoint) return;
      if (await lookAt(endpoint, deps, stopping.signal)) wake();
    }
  };
  const loop = every(Math.max(1, Math.round(checkMs / 10)), turn, {
    log,
    name: 'endpoints that are paused or failing',
  });
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort(new Error('the service stops'));
      await loop.stop();
    },
  };
}

/** Whether deliveries became due. */
async function lookAt(
  { projectId }: Endpoint,
  { store, targets }: { store: Store; targets: Targets },
  signal: AbortSignal,
): Promise<boolean> {
  const target = await targets.of(projectId, signal);
  const now = new Date();
  // Of a project that is gone, each delivery finds so by itself when it is due.
  if (!target) {
    await store.endpoints.forget(projectId);
    return (await store.queue.resume(projectId, { waiting: true }, now)) > 0;
  }
  const { endpoint, renewed } = await store.endpoints.observe(projectId, target.version);
  if (endpoint.state === 'paused' || target.url === '') return false;
  const resumed = await store.queue.resume(projectId, { waiting: renewed }, now);
  if (!endpoint.failingSince && !renewed) await store.endpoints.settled(projectId, endpoint.targetVersion);
  return resumed > 0;
}
