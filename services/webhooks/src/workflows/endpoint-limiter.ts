import type { EndpointHealth } from '../domain/endpoint.ts';

/** Limits the attempts at once, so that an endpoint that is down or slow does not hold up the others. */
export interface EndpointLimiter {
  /** Admits an attempt at `endpoint`; undefined when its share, or the whole, is in use. */
  tryAcquire(endpoint: string): Permit | undefined;
  inUse(): number;
}

export interface Permit {
  /** Ends the attempt, once. Without a health nothing was learned about the endpoint. Returns who was refused meanwhile. */
  release(health?: EndpointHealth): Refused;
}

/** The attempts that were refused since the last release that reported them: they wait for a permit. */
export interface Refused {
  /** Attempts at the same endpoint. */
  same: boolean;
  /** Attempts at any other one, because the whole was in use. */
  others: boolean;
}

/**
 * An endpoint that failed gets one attempt at a time. All endpoints that failed or were slow share at most half of
 * `total`: the other half is always there for those that do well. Not p-limit, which knows neither shares nor health.
 *
 * @param limits attempts at once in this process, and at one endpoint
 */
export function createEndpointLimiter(limits: { total: number; perEndpoint: number }): EndpointLimiter {
  const { total, perEndpoint } = limits;
  const running = new Map<string, number>();
  const unwell = new Map<string, Exclude<EndpointHealth, 'well'>>();
  const unwellTotal = Math.max(1, Math.floor(total / 2));
  let used = 0;
  let usedByUnwell = 0;
  let othersRefused = false;
  const refused = new Set<string>();

  const shareIsFull = (endpoint: string, health: EndpointHealth) =>
    (running.get(endpoint) ?? 0) >= (health === 'failed' ? 1 : perEndpoint);
  const allIsFull = (health: EndpointHealth) => used >= total || (health !== 'well' && usedByUnwell >= unwellTotal);
  const count = (endpoint: string, health: EndpointHealth, by: 1 | -1) => {
    used += by;
    if (health !== 'well') usedByUnwell += by;
    const own = (running.get(endpoint) ?? 0) + by;
    if (own > 0) running.set(endpoint, own);
    else running.delete(endpoint);
  };

  return {
    tryAcquire(endpoint) {
      // Released as what it was acquired as, whatever is learned meanwhile.
      const before = unwell.get(endpoint) ?? 'well';
      if (shareIsFull(endpoint, before)) {
        refused.add(endpoint);
        return undefined;
      }
      if (allIsFull(before)) {
        othersRefused = true;
        return undefined;
      }
      count(endpoint, before, 1);
      return {
        release(health) {
          count(endpoint, before, -1);
          if (health === 'well') unwell.delete(endpoint);
          else if (health !== undefined) unwell.set(endpoint, health);
          const reported = { same: refused.delete(endpoint), others: othersRefused };
          othersRefused = false;
          return reported;
        },
      };
    },
    inUse: () => used,
  };
}
