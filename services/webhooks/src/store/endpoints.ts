import { sharedRead } from '@recording-request/kit/batcher';
import { hasPassed, serverTime } from '@recording-request/kit-mongo/clock';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import type { Attempt } from '../domain/delivery.ts';
import type { Endpoint, PauseReason } from '../domain/endpoint.ts';
import type { EndpointDocument, Models } from './models.ts';

export interface Endpoints {
  get(projectId: string): Promise<Endpoint | undefined>;
  /**
   * Returns the endpoint for this version of the address, or for a later version that another process has already seen.
   * A new `targetVersion` resets the endpoint and sets `renewed`. `read`: the endpoint as read shortly before.
   */
  observe(
    projectId: string,
    targetVersion: number,
    now: Date,
    read?: Endpoint,
  ): Promise<{ endpoint: Endpoint; renewed: boolean }>;
  /** Records a failure. Returns undefined if the address has changed since the attempt. */
  failed(projectId: string, targetVersion: number, attempt: Attempt): Promise<Endpoint | undefined>;
  /** Notes that the event about the failures since `failingSince` has been recorded. */
  failureReported(projectId: string, failingSince: Date): Promise<void>;
  /** Ends the failures of the endpoint. */
  succeeded(projectId: string, targetVersion: number, at: Date): Promise<void>;
  /** Records the beginning of an attempt at an event that had waited. */
  served(projectId: string, at: Date): Promise<void>;
  /** Pauses the endpoint. Returns false if it is already paused or the address has changed since the attempt. */
  pause(projectId: string, targetVersion: number, reason: PauseReason, at: Date): Promise<boolean>;
  resume(projectId: string, targetVersion: number, now: Date): Promise<void>;
  /** Records that the deliveries that waited when the endpoint was reset are now due. */
  resumed(projectId: string, targetVersion: number): Promise<void>;
  /** Schedules checks of the endpoint from `at` until `endChecks`. */
  scheduleChecks(projectId: string, at: Date): Promise<void>;
  /**
   * Returns an endpoint whose check is due, and schedules its next check `everyMs` later. Returns undefined when no
   * check is due or another process took it, so each due check is made by one process.
   */
  claimDueCheck(everyMs: number): Promise<Endpoint | undefined>;
  /** Removes the endpoint of a deleted project. */
  remove(projectId: string): Promise<void>;
  /** Ends the checks of an endpoint that is healthy. */
  endChecks(projectId: string, targetVersion: number): Promise<void>;
}

const FAILURE = { failingSince: 1, lastStatusCode: 1, lastError: 1, failureReported: 1 } as const;

// Schedules a check. If this process dies before it makes the deliveries due, the check makes them due.
const reset = (now: Date) => ({
  $set: { state: 'active' as const, checkAt: now, resuming: true, wellSince: now },
  $unset: { ...FAILURE, pausedAt: 1, pauseReason: 1 } as const,
});

export function endpointStore({ endpoints, erasures }: Models): Endpoints {
  const readOne = async (projectId: string) => {
    const document = await endpoints.findById(projectId).lean();
    return document ? presentEndpoint(document) : undefined;
  };
  // Each delivery reads its endpoint, so concurrent reads of one endpoint share a query.
  const readShared = sharedRead((projectId: string) => projectId, readOne);
  return {
    get: readOne,
    async observe(projectId, targetVersion, now, read) {
      const known = read ?? (await readShared(projectId));
      if (known && known.targetVersion >= targetVersion) return { endpoint: known, renewed: false };
      try {
        // When two processes see the new version, only one of them makes the change. A process with an older version
        // changes nothing.
        const { modifiedCount, upsertedCount } = await endpoints.updateOne(
          { _id: projectId, targetVersion: { $lt: targetVersion } },
          known
            ? { ...reset(now), $set: { ...reset(now).$set, targetVersion } }
            : { $set: { state: 'active', targetVersion } },
          { upsert: true },
        );
        // An erasure writes its tombstone first and removes the endpoint last, so an endpoint that is inserted later
        // must be removed again.
        if (upsertedCount > 0 && (await erasures.exists({ _id: projectId })))
          await endpoints.deleteOne({ _id: projectId });
        const renewed = modifiedCount > 0;
        const wellSince = renewed ? { wellSince: now } : {};
        return { endpoint: { projectId, targetVersion, state: 'active', ...wellSince }, renewed };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const other = await readOne(projectId);
        return { endpoint: other ?? { projectId, targetVersion, state: 'active' }, renewed: false };
      }
    },
    async failed(projectId, targetVersion, { at, statusCode, error }) {
      const since = { failingSince: { $ifNull: ['$failingSince', at] }, checkAt: { $ifNull: ['$checkAt', at] } };
      const last = { lastStatusCode: statusCode, lastError: { $literal: error } };
      const document = await endpoints
        .findOneAndUpdate({ _id: projectId, targetVersion }, [{ $set: { ...since, ...last } }], {
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean();
      return document ? presentEndpoint(document) : undefined;
    },
    async succeeded(projectId, targetVersion, at) {
      await endpoints.updateOne(
        { _id: projectId, targetVersion, state: 'active', failingSince: { $exists: true } },
        { $unset: FAILURE, $set: { wellSince: at } },
      );
    },
    async failureReported(projectId, failingSince) {
      await endpoints.updateOne({ _id: projectId, failingSince }, { $set: { failureReported: true } });
    },
    async served(projectId, at) {
      await endpoints.updateOne({ _id: projectId }, { $max: { servedAt: at } });
    },
    async pause(projectId, targetVersion, reason, at) {
      const { modifiedCount } = await endpoints.updateOne(
        { _id: projectId, targetVersion, state: 'active' },
        { $set: { state: 'paused', pausedAt: at, pauseReason: reason } },
      );
      return modifiedCount > 0;
    },
    async resume(projectId, targetVersion, now) {
      await endpoints.updateOne({ _id: projectId, targetVersion }, reset(now));
    },
    async resumed(projectId, targetVersion) {
      await endpoints.updateOne({ _id: projectId, targetVersion }, { $unset: { resuming: 1 } });
    },
    async scheduleChecks(projectId, at) {
      await endpoints.updateOne({ _id: projectId, checkAt: { $exists: false } }, { $set: { checkAt: at } });
    },
    async claimDueCheck(everyMs) {
      const due = await endpoints.findOne(hasPassed('checkAt'), { _id: 1 }).sort({ checkAt: 1 }).lean();
      if (!due) return undefined;
      const next = [{ $set: { checkAt: serverTime(everyMs) } }];
      const document = await endpoints
        .findOneAndUpdate({ _id: due._id, ...hasPassed('checkAt') }, next, { updatePipeline: true })
        .lean();
      return document ? presentEndpoint(document) : undefined;
    },
    async remove(projectId) {
      await endpoints.deleteOne({ _id: projectId });
    },
    async endChecks(projectId, targetVersion) {
      await endpoints.updateOne(
        { _id: projectId, targetVersion, state: 'active', failingSince: { $exists: false } },
        { $unset: { checkAt: 1 } },
      );
    },
  };
}

export function presentEndpoint({ _id: projectId, ...document }: EndpointDocument): Endpoint {
  const { targetVersion, state, failingSince, wellSince, servedAt, pausedAt, pauseReason, resuming } = document;
  const { lastStatusCode, lastError, failureReported } = document;
  return {
    projectId,
    targetVersion,
    state,
    ...(failingSince ? { failingSince } : {}),
    ...(lastStatusCode === undefined ? {} : { lastStatusCode }),
    ...(lastError === undefined ? {} : { lastError }),
    ...(failureReported ? { failureReported } : {}),
    ...(wellSince ? { wellSince } : {}),
    ...(servedAt ? { servedAt } : {}),
    ...(pausedAt ? { pausedAt } : {}),
    ...(pauseReason ? { pauseReason } : {}),
    ...(resuming ? { resuming } : {}),
  };
}
