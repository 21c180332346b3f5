import type { Logger } from '@recording-request/kit/log';
import type { Clock } from '@recording-request/kit-mongo/clock';
import type { Endpoint } from '../domain/endpoint.ts';
import type { Endpoints } from '../store/endpoints.ts';

/** Separates the time that deliveries wait behind their own endpoint from the time that they wait for this service. */
export interface EndpointTurns {
  /**
   * Call this when an attempt begins at an event created at `createdAt`. Returns since when the endpoint had a free
   * permit, in milliseconds of `clock`.
   */
  begin(endpoint: Endpoint, createdAt: Date): number;
  /** Call this when an attempt released a permit for which another delivery to the endpoint waited. */
  freed(projectId: string): void;
}

const KNOWN_MAX = 10_000;

/**
 * The ledger stores that a waiting delivery was sent, for other processes, for this process after a restart, and for
 * figures.
 *
 * @param everyMs an event that is older has waited; also the shortest time between two writes about one endpoint
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
      // This is the first attempt of this process. Until the stored time, other processes may have used all permits.
      const first = servedAt?.getTime() ?? 0;
      setNewest(freedAt, projectId, first);
      return first;
    },
    freed: projectId => setNewest(freedAt, projectId, clock.now().getTime()),
  };
}

/** Sets a value, and forgets the value that was set first if there are too many. */
function setNewest(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > KNOWN_MAX) map.delete(map.keys().next().value!);
}
