import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Context } from '../context.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { recordFailing } from './record-failing.ts';

/**
 * Checks each paused, failing or just resumed endpoint for a new address every `pausedCheckMs`, because the RPC that
 * reports a new address may have been lost. Also records the event about an endpoint that has failed for a long time.
 * Each check runs in only one process.
 */
export function startEndpointMonitor(context: Context): Stoppable {
  const { config, log, store, dispatcher } = context;
  const stopping = new AbortController();
  const checkDue = async () => {
    while (!stopping.signal.aborted) {
      const endpoint = await store.endpoints.claimDueCheck(config.pausedCheckMs);
      if (!endpoint) return;
      if (await checkEndpoint(context, endpoint, stopping.signal)) dispatcher.wake();
    }
  };
  const loop = every(Math.max(1, Math.round(config.pausedCheckMs / 4)), checkDue, {
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

/** Reads the current address of a project's endpoint. Returns whether deliveries became due. */
export async function checkEndpoint(
  context: Context,
  { projectId }: Pick<Endpoint, 'projectId'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, targets, clock } = context;
  const target = await targets.of(projectId, signal);
  const now = clock.now();
  // The project was deleted. Its deliveries become due, and their attempts mark them as erased.
  if (!target) {
    await store.endpoints.remove(projectId);
    return (await store.queue.resume(projectId, { waiting: true }, now)) > 0;
  }
  const { endpoint, renewed } = await store.endpoints.observe(projectId, target.version, now);
  await recordFailing(context, endpoint);
  if (endpoint.state === 'paused' || target.url === '') return false;
  // Also finishes a reset that another process started and did not finish.
  const waiting = renewed || endpoint.resuming === true;
  const resumed = await store.queue.resume(projectId, { waiting }, now);
  if (waiting) await store.endpoints.resumed(projectId, endpoint.targetVersion);
  if (!endpoint.failingSince && !renewed) await store.endpoints.endChecks(projectId, endpoint.targetVersion);
  return resumed > 0;
}
