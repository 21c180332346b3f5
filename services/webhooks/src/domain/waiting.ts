import type { Endpoint } from './endpoint.ts';

/**
 * Returns the time since when this service has been able to send to the project. This is the latest of four times: the
 * first delivery became due, the last failures or pause of the endpoint ended, a delivery that had waited was sent, the
 * operator resumed all deliveries (`sentSince`). Returns undefined while the endpoint fails or is paused, because its
 * deliveries wait for their owner.
 */
export function sendableSince(firstDueAt: Date, endpoint: Endpoint | undefined, sentSince: Date): Date | undefined {
  if (endpoint?.failingSince || endpoint?.state === 'paused') return undefined;
  const times = [firstDueAt, sentSince, endpoint?.wellSince, endpoint?.servedAt].map(at => at?.getTime() ?? 0);
  return new Date(Math.max(...times));
}
