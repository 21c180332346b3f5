import type { Endpoint } from '../domain/endpoint.ts';
import { presentEndpoint } from './endpoints.ts';
import { HEALTH_INDEX, type Models, QUEUE_INDEX } from './models.ts';

/** The first due delivery of an endpoint. */
export interface FirstDue {
  projectId: string;
  nextAt: Date;
}

/**
 * Runs the queries of the operator's metrics: deliveries from an index only, endpoints by their ids. Reads and counts
 * at most COUNTED_MAX of each.
 */
export interface FigureStore {
  endpointsByState(): Promise<{ ok: number; failing: number; paused: number }>;
  /** Returns the endpoints that have failed for the longest time, without paused ones. */
  longestFailing(limit: number): Promise<{ projectId: string; failingSince: Date }[]>;
  /** Returns the first due delivery of each endpoint, the oldest first. Running attempts are not due. */
  firstDue(now: Date): Promise<FirstDue[]>;
  endpoints(projectIds: string[]): Promise<Endpoint[]>;
  /** Counts the owners of these projects that have a pending delivery. */
  countOwners(projectIds: string[]): Promise<number>;
  /** Counts the deliveries of these projects that became due before `before`. */
  countDue(projectIds: string[], before: Date): Promise<number>;
}

/** A count stops at this value, which then means "this many or more". */
const COUNTED_MAX = 10_000;
const QUERY_LIMIT_MS = 10_000;

export function figureStore({ endpoints, deliveries }: Models): FigureStore {
  const maxTimeMS = QUERY_LIMIT_MS;
  const limits = { limit: COUNTED_MAX, maxTimeMS };
  const everFailed = { failingSince: { $gt: new Date(0) } };
  const countEndpoints = (query: object) =>
    endpoints.collection.countDocuments(query, { ...limits, hint: HEALTH_INDEX });
  return {
    async endpointsByState() {
      const [active, failing, paused] = await Promise.all([
        countEndpoints({ state: 'active' }),
        countEndpoints({ state: 'active', ...everFailed }),
        countEndpoints({ state: 'paused' }),
      ]);
      return { ok: Math.max(0, active - failing), failing, paused };
    },
    async longestFailing(limit) {
      const found = await endpoints
        .find({ state: 'active', ...everFailed }, { failingSince: 1 })
        .setOptions({ hint: HEALTH_INDEX, maxTimeMS, sort: { failingSince: 1 }, limit })
        .lean();
      return found.map(({ _id: projectId, failingSince }) => ({ projectId, failingSince: failingSince! }));
    },
    async firstDue(now) {
      const stages = [
        { $match: { state: 'pending' } },
        { $sort: QUEUE_INDEX },
        { $group: { _id: '$projectId', nextAt: { $first: '$nextAt' } } },
        { $match: { nextAt: { $lte: now } } },
        { $sort: { nextAt: 1 } },
        { $limit: COUNTED_MAX },
        { $project: { _id: 0, projectId: '$_id', nextAt: 1 } },
      ];
      return await deliveries.collection.aggregate<FirstDue>(stages, { hint: QUEUE_INDEX, maxTimeMS }).toArray();
    },
    async endpoints(projectIds) {
      const found = await endpoints
        .find({ _id: { $in: projectIds } })
        .maxTimeMS(maxTimeMS)
        .lean();
      return found.map(presentEndpoint);
    },
    async countOwners(projectIds) {
      const stages = [
        { $match: { state: 'pending', projectId: { $in: projectIds } } },
        { $sort: QUEUE_INDEX },
        { $group: { _id: '$projectId', ownerId: { $first: '$ownerId' } } },
      ];
      const first = await deliveries.collection
        .aggregate<{ ownerId: string }>(stages, { hint: QUEUE_INDEX, maxTimeMS })
        .toArray();
      return new Set(first.map(({ ownerId }) => ownerId)).size;
    },
    countDue: (projectIds, before) =>
      deliveries.collection.countDocuments(
        { state: 'pending', projectId: { $in: projectIds }, nextAt: { $lt: before } },
        { ...limits, hint: QUEUE_INDEX },
      ),
  };
}
