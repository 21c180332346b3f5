import { createFairSlots, type FairSlots, type Path } from '@recording-request/kit/fair-slots';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import type { EndpointHealth } from '../domain/endpoint.ts';

/** The endpoint of a project. */
export interface EndpointName {
  ownerId: string;
  projectId: string;
}

/** Limits the attempts at once, so that neither an owner nor an endpoint that is down or slow holds up the others. */
export interface EndpointLimiter {
  /** Admits an attempt; undefined where its endpoint, its owner or all have their share. */
  tryAcquire(endpoint: EndpointName): Permit | undefined;
  /**
   * Waits for the turn of its owner. Undefined where its endpoint has its share: the next release there reports it. Rejects with
   * the signal's reason, or with QueueFullError.
   */
  acquire(endpoint: EndpointName, signal: AbortSignal): Promise<Permit | undefined>;
  inUse(): number;
  /** Ends the report of how many are in use. */
  endReport(): void;
}

export interface Permit {
  /**
   * Ends the attempt, once. Without a health nothing was learned about the endpoint. Returns whether an attempt there was
   * refused meanwhile because the endpoint had its share.
   */
  release(health?: EndpointHealth): boolean;
}

/** An endpoint that failed or was slow does well again after so many quick answers in a row: one alone says nothing. */
const WELL_AFTER = 5;
const QUEUED = 2_000;

interface Unwell {
  health: Exclude<EndpointHealth, 'well'>;
  /** In a row. */
  quick: number;
}

/**
 * Owners share `total`, and so do the projects of each (kit/fair-slots). An endpoint that failed gets one attempt at a time. All that
 * failed or were slow share at most half of `total`: the other half is always there for those that do well.
 *
 * @param limits attempts at once in this process, and at one endpoint
 */
export function createEndpointLimiter(limits: { total: number; perEndpoint: number }): EndpointLimiter {
  const { total, perEndpoint } = limits;
  const all = createFairSlots(total, { queued: QUEUED });
  const ofUnwell = createFairSlots(Math.max(1, Math.floor(total / 2)), { queued: QUEUED });
  const running = new Map<string, number>();
  const unwell = new Map<string, Unwell>();
  const refused = new Set<string>();

  const slotsFor = (projectId: string): FairSlots[] => (unwell.has(projectId) ? [ofUnwell, all] : [all]);

  /** Counts an attempt at an endpoint. False where that has its share. */
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
