import type { Logger } from '@recording-request/kit/log';
import type { Clock } from '@recording-request/kit-mongo/clock';
import type { Endpoint } from '../domain/endpoint.ts';
import type { Endpoints } from '../store/endpoints.ts';

/** Separates the time that deliveries wait behind their own endpoint from the time that they wait for this service. */
export interface EndpointTurns {
  /**
   * Call this when an attempt begins at an event that was created at `createdAt`. Returns the time (milliseconds of
   * `clock`) since which the endpoint has had a free permit.
   */
  begin(endpoint: Endpoint, createdAt: Date): number;
  /** Call this when an attempt has released a permit that another delivery to the endpoint waited for. */
  freed(projectId: string): void;
}

const KNOWN_MAX = 10_000;

/**
 * Stores in the ledger the time when a waiting delivery was sent. Three readers use this time: other processes, this
 * process after a restart, and the metrics.
 *
 * @param everyMs an event that is older than this has waited; also the minimum time between two writes about one
 * endpoint
 */
export function createEndpointTurns(deps: {
  clock: Clock;
  log: Logger;
  endpoints: Pick<Endpoints, 'served'>;
  everyMs: number;
}): EndpointTurns {
  const { clock, log, endpoints, everyMs } = deps;
  const freedAt = new Map<string, number>();
  const storedAt = new Map<string, number>();

  const store = (projectId: string, now: Date) => {
    setNewest(storedAt, projectId, now.getTime());
    endpoints
      .served(projectId, now)
      .catch(error => log.warn({ err: error, projectId }, 'The time of an attempt was not stored; figures may differ'));
  };

  return {
    begin({ projectId, servedAt }, createdAt) {
      const now = clock.now();
      const longAgo = now.getTime() - everyMs;
      if (createdAt.getTime() < longAgo && (storedAt.get(projectId) ?? 0) < longAgo) store(projectId, now);
      const known = freedAt.get(projectId);
      if (known !== undefined) return known;
      // This process makes its first attempt at the endpoint. Other processes may have used all permits until the
      // stored time.
      const first = servedAt?.getTime() ?? 0;
      setNewest(freedAt, projectId, first);
      return first;
    },
    freed: projectId => setNewest(freedAt, projectId, clock.now().getTime()),
  };
}

/** Sets a value. If there are too many values, deletes the one that was set first. */
function setNewest(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > KNOWN_MAX) map.delete(map.keys().next().value!);
}
