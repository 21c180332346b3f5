import { createFairSlots, type FairSlots, type Path } from '@recording-request/kit/fair-slots';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import type { EndpointHealth } from '../domain/endpoint.ts';

export interface EndpointName {
  ownerId: string;
  projectId: string;
}

/** Limits concurrent attempts, so that no owner and no slow or failed endpoint delays other endpoints. */
export interface EndpointLimiter {
  /** Admits an attempt; returns undefined when its endpoint, its owner or the process has reached the limit. */
  tryAcquire(endpoint: EndpointName): Permit | undefined;
  /**
   * Waits for the owner's turn. Returns undefined if the endpoint has reached its limit; then the next `release` at
   * this endpoint returns true. Rejects with the signal's reason or with QueueFullError.
   */
  acquire(endpoint: EndpointName, signal: AbortSignal): Promise<Permit | undefined>;
  inUse(): number;
  /** Stops the gauge that reports the permits in use. */
  endReport(): void;
}

export interface Permit {
  /**
   * Releases the permit; later calls do nothing. Pass no health if the attempt does not show the endpoint's health.
   * Returns whether the endpoint's limit refused another attempt while this permit was held.
   */
  release(health?: EndpointHealth): boolean;
}

/**
 * A failed or slow endpoint is healthy again after this many quick responses in a row, because a single one proves
 * nothing.
 */
const WELL_AFTER = 5;
const QUEUED = 2_000;

interface Unwell {
  health: Exclude<EndpointHealth, 'well'>;
  /** The number of quick answers in a row. */
  quick: number;
}

/**
 * Owners share `total`, and an owner's projects share the owner's part (kit/fair-slots). A failed endpoint gets one
 * attempt at a time. All failed or slow endpoints together get at most half of `total`; the other half is reserved for
 * healthy endpoints.
 *
 * @param limits concurrent attempts in this process, and at one endpoint
 */
export function createEndpointLimiter(limits: { total: number; perEndpoint: number }): EndpointLimiter {
  const { total, perEndpoint } = limits;
  const all = createFairSlots(total, { queued: QUEUED });
  const ofUnwell = createFairSlots(Math.max(1, Math.floor(total / 2)), { queued: QUEUED });
  const running = new Map<string, number>();
  const unwell = new Map<string, Unwell>();
  const refused = new Set<string>();

  const slotsFor = (projectId: string): FairSlots[] => (unwell.has(projectId) ? [ofUnwell, all] : [all]);

  /** Counts an attempt at an endpoint. Returns false when the endpoint has reached its limit. */
  const count = (projectId: string): boolean => {
    const own = running.get(projectId) ?? 0;
    const isFull = own >= (unwell.get(projectId)?.health === 'failed' ? 1 : perEndpoint);
    if (isFull) refused.add(projectId);
    else running.set(projectId, own + 1);
    return !isFull;
  };

  const uncount = (projectId: string): void => {
    const own = running.get(projectId)! - 1;
    if (own > 0) running.set(projectId, own);
    else running.delete(projectId);
  };

  const learn = (projectId: string, health: EndpointHealth | undefined): void => {
    if (health === undefined) return;
    if (health !== 'well') return void unwell.set(projectId, { health, quick: 0 });
    const quick = (unwell.get(projectId)?.quick ?? WELL_AFTER) + 1;
    if (quick >= WELL_AFTER) unwell.delete(projectId);
    else unwell.set(projectId, { health: 'slow', quick });
  };

  const permit = (projectId: string, slots: DisposableStack): Permit => ({
    release(health) {
      slots.dispose();
      uncount(projectId);
      learn(projectId, health);
      return refused.delete(projectId);
    },
  });

  return {
    tryAcquire({ ownerId, projectId }) {
      if (!count(projectId)) return undefined;
      using taken = new DisposableStack();
      for (const slots of slotsFor(projectId)) {
        const slot = slots.tryTake([ownerId, projectId]);
        if (!slot) {
          uncount(projectId);
          return undefined;
        }
        taken.use(slot);
      }
      return permit(projectId, taken.move());
    },
    async acquire({ ownerId, projectId }, signal) {
      if (!count(projectId)) return undefined;
      const path: Path = [ownerId, projectId];
      try {
        using taken = new DisposableStack();
        for (const slots of slotsFor(projectId)) taken.use(await slots.take(path, signal));
        return permit(projectId, taken.move());
      } catch (error) {
        uncount(projectId);
        throw error;
      }
    },
    inUse: all.used,
    endReport: reportSlots('webhook', total, all.used),
  };
}
