import type { Endpoint } from './endpoint.ts';

/**
 * Returns since when this service could have sent to the project: the first due delivery is due, the endpoint neither
 * fails nor is paused, and no delivery that had waited was sent since. Returns undefined while the endpoint fails or is
 * paused: its deliveries wait for their owner.
 */
export function sendableSince(firstDueAt: Date, endpoint: Endpoint | undefined): Date | undefined {
  if (endpoint?.failingSince || endpoint?.state === 'paused') return undefined;
  const times = [firstDueAt, endpoint?.wellSince, endpoint?.servedAt].map(at => at?.getTime() ?? 0);
  return new Date(Math.max(...times));
}
