import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Context } from '../context.ts';
import type { Endpoint } from '../domain/endpoint.ts';

type MonitorDeps = Pick<Context, 'config' | 'log' | 'clock' | 'store' | 'targets' | 'dispatcher'>;

/**
 * Checks each endpoint that is paused, failing or was just resumed every `pausedCheckMs`, to see whether its address was
 * set again: a call that says so at once may not have come through. Each check is made by one process.
 */
export function startEndpointMonitor(deps: MonitorDeps): Stoppable {
  const { config, log, store, dispatcher } = deps;
  const stopping = new AbortController();
  const checkDue = async () => {
    while (!stopping.signal.aborted) {
      const endpoint = await store.endpoints.claimDueCheck(config.pausedCheckMs);
      if (!endpoint) return;
      if (await checkEndpoint(deps, endpoint, stopping.signal)) dispatcher.wake();
    }
  };
  const loop = every(Math.max(1, Math.round(config.pausedCheckMs / 10)), checkDue, {
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

/** Looks at the address of a project's endpoint as it is now. Returns whether deliveries became due. */
export async function checkEndpoint(
  { store, targets, clock }: Pick<Context, 'store' | 'targets' | 'clock'>,
  { projectId }: Pick<Endpoint, 'projectId'>,
  signal: AbortSignal,
): Promise<boolean> {
  const target = await targets.of(projectId, signal);
  const now = clock.now();
  // Each delivery of a project that is gone is marked as erased when it is due.
  if (!target) {
    await store.endpoints.remove(projectId);
    return (await store.queue.resume(projectId, { waiting: true }, now)) > 0;
  }
  const { endpoint, renewed } = await store.endpoints.observe(projectId, target.version, now);
  if (endpoint.state === 'paused' || target.url === '') return false;
  // Also where the process that noticed the change did not come to the end of this.
  const waiting = renewed || endpoint.resuming === true;
  const resumed = await store.queue.resume(projectId, { waiting }, now);
  if (waiting) await store.endpoints.resumed(projectId, endpoint.targetVersion);
  if (!endpoint.failingSince && !renewed) await store.endpoints.endChecks(projectId, endpoint.targetVersion);
  return resumed > 0;
}
