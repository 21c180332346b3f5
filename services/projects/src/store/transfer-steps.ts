import { DomainError } from '@recording-request/kit/errors';
import { serverTime } from '@recording-request/kit-mongo/clock';
import { Types } from 'mongoose';
import type { Response } from '../domain/response.ts';
import {
  landsClip,
  sumOfChanges,
  type Transfer,
  type TransferId,
  type TransferKind,
  takesUse,
} from '../domain/transfer.ts';
import { type LinkKey, linkAt } from './links.ts';
import type { Models } from './models.ts';
import { linkOf, responseAt } from './responses.ts';

/*
 * A transfer changes the counters of a link exactly once, without a transaction that includes the link:
 *
 *   1. the response records it                                                           (responses.insert, beginTransfer)
 *   2. the link takes it, if its id is not in `applied`: counters and id, one write      (applyToLink)
 *   3. the response drops it                                                             (drop)
 *   4. the id is pulled from the link                                                    (forgetOnLink)
 *
 * After a crash, any process that finds a transfer in a response continues at step 2; the id in the link prevents a
 * second change. A crash before step 4 leaves the id in the link, where it has no effect.
 *
 * A transfer has one holder at a time. Only the holder runs steps 2 and 3; step 4 follows step 3. The holder's id
 * prevents a former holder from running step 3. The lease prevents a former holder from running step 2: the update
 * itself checks the database's clock and ends after `applyLimitMs` at the latest, and a take-over waits that long after
 * the end of the lease.
 */

export type AppliedOutcome = 'applied' | 'refused' | 'lease_lost';

// Only another replica can change the link at the same time, because this process writes to one link sequentially.
const WRITE_TRIES = 12;
// Far more than the number of concurrent transfers, so only ids left by crashes are cut off.
const IDS_MAX = 10_000;

/**
 * Adds the event of a response's beginning to its outbox. Only step 3 of the first claim does this, so the service
 * publishes the event once per response, and never for a claim that the link refused.
 */
const WITH_BEGINNING = {
  $cond: [
    { $eq: [{ $type: '$began' }, 'object'] },
    { $concatArrays: [{ $ifNull: ['$outbox', []] }, ['$began']] },
    '$outbox',
  ],
};

/** Identifies one transfer, its response and its link. */
export interface TransferRef extends LinkKey {
  responseId: string;
  transferId: TransferId;
  holder: TransferId;
}

export function createTransferSteps({ links, responses }: Models, leaseMs: number) {
  // Ends a delayed update before another process may take over its transfer.
  const applyLimitMs = Math.ceil(leaseMs / 2);
  const takeOverAfterMs = leaseMs;

  /**
   * Writes all transfers, or none of them if one is already in the link, one has lost its lease, or the link has no
   * room for all.
   */
  async function write(link: LinkKey, transfers: Transfer[]): Promise<boolean> {
    const takers = transfers.filter(transfer => takesUse(transfer.kind)).length;
    const leaseUntil = new Date(Math.min(...transfers.map(transfer => transfer.leaseUntil.getTime())));
    const inLease = { $lt: ['$$NOW', leaseUntil] };
    const hasRoom = { $lte: [{ $add: ['$claimed', '$landed', takers] }, '$maxUses'] };
    const ids = transfers.map(transfer => transfer.id);
    const latest = latestDates({
      submittedAt: transfers.filter(transfer => landsClip(transfer.kind)),
      completedAt: transfers.filter(transfer => transfer.completes),
    });
    const { matchedCount } = await links.collection.updateOne(
      {
        ...(linkAt(link) as object),
        // The counters of an erased link stay 0.
        erasedAt: null,
        ...(takers > 0 ? { disabled: false } : {}),
        applied: { $nin: ids },
        $expr: takers > 0 ? { $and: [hasRoom, inLease] } : inLease,
      },
      {
        $inc: { ...sumOfChanges(transfers.map(transfer => transfer.kind)) },
        $push: { applied: { $each: ids, $slice: -IDS_MAX } } as never,
        // The server's clock sets this time, because it is compared with times of that clock: see links.ts.
        $currentDate: { changedAt: true },
        ...(transfers.some(transfer => transfer.completes) ? { $set: { complete: true } } : {}),
        $max: latest,
      },
      { maxTimeMS: applyLimitMs },
    );
    return matchedCount === 1;
  }

  /** Finds out why a write had no effect, and stores the outcomes that are certain. Returns the transfers to retry. */
  async function decide(key: LinkKey, transfers: Transfer[], outcomes: Map<Transfer, AppliedOutcome>) {
    // A local read sees the writes that decided the update, even before a majority has them.
    const [link] = await links.collection
      .find(linkAt(key) as object, {
        readConcern: { level: 'local' },
        projection: { applied: 1, disabled: 1, erasedAt: 1, maxUses: 1, claimed: 1, landed: 1, now: '$$NOW' },
        maxTimeMS: applyLimitMs,
      })
      .toArray();
    // The link or its project was erased: a claim is undone, and other transfers disappear with their response.
    if (!link || link.erasedAt) {
      for (const transfer of transfers) outcomes.set(transfer, 'refused');
      return [];
    }
    const applied = new Set(link.applied.map(String));
    let room = link.disabled ? 0 : link.maxUses - link.claimed - link.landed;
    return transfers.filter(transfer => {
      if (applied.has(String(transfer.id))) outcomes.set(transfer, 'applied');
      else if (link.now >= transfer.leaseUntil) outcomes.set(transfer, 'lease_lost');
      else if (takesUse(transfer.kind) && room-- <= 0) outcomes.set(transfer, 'refused');
      return !outcomes.has(transfer);
    });
  }

  return {
    /** `now` is a time of the database's clock, which also decides whether the lease has expired. */
    make(kind: TransferKind, now: Date): Transfer {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      return { id: new Types.ObjectId(), holder: new Types.ObjectId(), kind, at: now, leaseUntil };
    },

    /**
     * Runs step 2 for several transfers of one link, in order. `refused`: no use is free, or the link is disabled.
     * Fails with `unavailable` if other writers are faster in each try.
     */
    async applyToLink(link: LinkKey, transfers: Transfer[]): Promise<AppliedOutcome[]> {
      const outcomes = new Map<Transfer, AppliedOutcome>();
      let open = transfers;
      for (let tries = 0; open.length > 0; tries++) {
        if (tries === WRITE_TRIES) {
          throw new DomainError('unavailable', 'This recording link is very busy: try again in a moment.');
        }
        if (await write(link, open)) {
          for (const transfer of open) outcomes.set(transfer, 'applied');
          break;
        }
        open = await decide(link, open, outcomes);
      }
      return transfers.map(transfer => outcomes.get(transfer)!);
    },

    /** Runs step 3 if the holder is still the same. Returns the transfers that are no longer in any response. */
    async drop(batch: TransferRef[]): Promise<TransferRef[]> {
      const ids = responsesIn(batch);
      const transfers = { 'transfer.id': { $in: batch.map(ref => ref.transferId) } };
      const holders = { 'transfer.holder': { $in: batch.map(ref => ref.holder) } };
      // The use of an applied claim is held.
      const use = { $cond: [{ $eq: ['$use', 'claiming'] }, 'held', '$use'] };
      const { matchedCount } = await responses.collection.updateMany({ ...ids, ...transfers, ...holders }, [
        { $set: { use, outbox: WITH_BEGINNING } },
        { $unset: ['transfer', 'began'] },
      ]);
      if (matchedCount === batch.length) return batch;
      const kept = await responses.collection.find({ ...ids, ...transfers }, { projection: { _id: 1 } }).toArray();
      const keeping = new Set(kept.map(response => String(response._id)));
      return batch.filter(ref => !keeping.has(ref.responseId));
    },

    /** Step 4. */
    async forgetOnLink(link: LinkKey, transferIds: TransferId[]): Promise<void> {
      await links.collection.updateOne(linkAt(link) as object, { $pull: { applied: { $in: transferIds } } as never });
    },

    /** Undoes a refused claim instead of running steps 3 and 4: the response returns to its former state. */
    async undo(responseId: string, transfer: Transfer): Promise<void> {
      const { id, holder } = transfer;
      const held = { ...responseAt(responseId), 'transfer.id': id, 'transfer.holder': holder };
      if (transfer.kind === 'begin') await responses.deleteOne(held);
      else await responses.updateOne(held, { $set: { use: 'released' }, $unset: { transfer: '' } });
    },

    /** Takes over the transfer of a response if the former holder's lease has expired. Returns the response. */
    async takeOver(responseId: string): Promise<Response | null> {
      return await responses
        .findOneAndUpdate(
          {
            ...responseAt(responseId),
            'transfer.id': { $exists: true },
            $expr: { $lt: [{ $add: ['$transfer.leaseUntil', takeOverAfterMs] }, '$$NOW'] },
          },
          [{ $set: { 'transfer.leaseUntil': serverTime(leaseMs), 'transfer.holder': new Types.ObjectId() } }],
          { returnDocument: 'after', updatePipeline: true },
        )
        .lean<Response>();
    },

    /** Returns responses whose transfer was interrupted. */
    async leftOver(now: Date, limit: number): Promise<Response[]> {
      return await responses
        .find({ 'transfer.leaseUntil': { $lt: new Date(now.getTime() - takeOverAfterMs) } })
        .sort({ 'transfer.leaseUntil': 1 })
        .limit(limit)
        .lean<Response[]>();
    },
  };
}

/** Returns the date of the latest transfer in each list, by the list's name. Omits empty lists. */
function latestDates(transfers: Record<string, Transfer[]>): Record<string, Date> {
  const dates = Object.entries(transfers).map(([name, all]) => [name, all.map(({ at }) => at.getTime())] as const);
  return Object.fromEntries(
    dates.filter(([, times]) => times.length > 0).map(([name, times]) => [name, new Date(Math.max(...times))]),
  );
}

const responsesIn = (batch: TransferRef[]): object => ({
  _id: { $in: batch.map(ref => ref.responseId) },
  linkId: { $in: [...new Set(batch.map(ref => linkOf(ref.responseId)))] },
});

export function refOf(response: Response): TransferRef {
  const { id, holder } = response.transfer!;
  const { _id: responseId, linkId, projectId } = response;
  return { responseId, linkId, projectId, transferId: id, holder };
}

export type TransferSteps = ReturnType<typeof createTransferSteps>;
