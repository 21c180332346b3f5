import { DUE_INDEX, HEALTH_INDEX, type Models } from './models.ts';

/** Reads the operator's figures from indexes only, and counts at most COUNTED_MAX of each. */
export interface FigureStore {
  endpointsByState(): Promise<{ ok: number; failing: number; paused: number }>;
  /**
   * Considers overdue deliveries that no process sends. Returns the earliest due time, and how many became due before
   * `stuckBefore`.
   */
  due(now: Date, stuckBefore: Date): Promise<{ since: Date | undefined; stuck: number }>;
}

/** A count stops at this value, which then means "this many or more". */
const COUNTED_MAX = 10_000;
const QUERY_LIMIT_MS = 10_000;

export function figureStore({ endpoints, deliveries }: Models): FigureStore {
  const limits = { limit: COUNTED_MAX, maxTimeMS: QUERY_LIMIT_MS };
  const countEndpoints = (query: object) =>
    endpoints.collection.countDocuments(query, { ...limits, hint: HEALTH_INDEX });
  const dueIn = (nextAt: object) => ({ state: 'pending' as const, step: { $gte: 0 }, nextAt });
  return {
    async endpointsByState() {
      const [active, failing, paused] = await Promise.all([
        countEndpoints({ state: 'active' }),
        countEndpoints({ state: 'active', failingSince: { $gt: new Date(0) } }),
        countEndpoints({ state: 'paused' }),
      ]);
      return { ok: Math.max(0, active - failing), failing, paused };
    },
    async due(now, stuckBefore) {
      const first = await deliveries.collection.findOne(dueIn({ $lte: now }), {
        ...{ projection: { _id: 0, nextAt: 1 }, sort: { nextAt: 1 }, hint: DUE_INDEX, maxTimeMS: QUERY_LIMIT_MS },
      });
      const since = first?.nextAt;
      if (!since || since >= stuckBefore) return { since, stuck: 0 };
      const late = dueIn({ $lt: stuckBefore });
      return { since, stuck: await deliveries.collection.countDocuments(late, { ...limits, hint: DUE_INDEX }) };
    },
  };
}
