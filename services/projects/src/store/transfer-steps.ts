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
 * A transfer changes the counters of a link exactly once, without a transaction over the link:
 *
 *   1. the response records it as `intended`                                       (responses.insert, beginTransfer)
 *   2. the link takes it, if its id is not in `applied`: counters and id, one write      (applyToLink)
 *   3. the response marks it `applied`                                                   (markApplied)
 *   4. the id is pulled from the link                                                    (forgetOnLink)
 *   5. the response drops it                                                             (clear)
 *
 * Anyone who finds one after a crash goes on from where it stands. The id keeps step 2 from happening twice before step 4;
 * after step 4 nobody may try step 2 again. So one at a time holds a transfer: steps 2 and 3 are its holder's alone. A
 * former holder is kept from step 3 by the holder's id, and from step 2 by the lease: the update itself asks the
 * database's clock, is cut off after `applyLimitMs`, and a take-over waits that long past the end of the lease. Steps 4
 * and 5 follow `applied` and harm nothing when done twice.
 */

export type AppliedOutcome = 'applied' | 'refused' | 'lease_lost';

// Only other replicas can be faster: here the writes of one link go one after the other.
const WRITE_TRIES = 12;

/** Names one transfer in its response and its link. */
export interface TransferRef extends LinkKey {
  responseId: string;
  transferId: TransferId;
  holder: TransferId;
}

export function createTransferSteps({ links, responses }: Models, leaseMs: number) {
  // An update that was held up ends before anybody may take its transfer over.
  const applyLimitMs = Math.ceil(leaseMs / 2);
  const takeOverAfterMs = leaseMs;

  /** One write for all of them or none: none where one is in already, lost its lease, or there is no room for all. */
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
        ...(takers > 0 ? { disabled: false } : {}),
        applied: { $nin: ids },
        $expr: takers > 0 ? { $and: [hasRoom, inLease] } : inLease,
      },
      {
        $inc: { ...sumOfChanges(transfers.map(transfer => transfer.kind)) },
        $push: { applied: { $each: ids } } as never,
        // By the server's clock, as it is compared: see links.ts.
        $currentDate: { changedAt: true },
        $max: latest,
      },
      { maxTimeMS: applyLimitMs },
    );
    return matchedCount === 1;
  }

  /** Notes the outcomes that are clear after a write that did nothing. Returns the transfers to try again. */
  async function decide(key: LinkKey, transfers: Transfer[], outcomes: Map<Transfer, AppliedOutcome>) {
    // Local reads see the writes that the update was decided on, even if no majority has them yet.
    const [link] = await links.collection
      .find(linkAt(key) as object, {
        readConcern: { level: 'local' },
        projection: { applied: 1, disabled: 1, maxUses: 1, claimed: 1, landed: 1, now: '$$NOW' },
        maxTimeMS: applyLimitMs,
      })
      .toArray();
    // Its project was erased: a claim is undone, what else there was goes with its response.
    if (!link) {
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
    /** `now` by the database's clock, on which the lease is judged. */
    make(kind: TransferKind, now: Date): Transfer {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      return { id: new Types.ObjectId(), holder: new Types.ObjectId(), kind, state: 'intended', at: now, leaseUntil };
    },

    /**
     * Step 2 for several transfers of one link, in their order. `refused`: no use is free, or the link is disabled.
     * Fails with `unavailable` where others were faster each time.
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

    /** Step 3, where the holder is still the same: returns the ones that are `applied` now. */
    async markApplied(batch: TransferRef[]): Promise<TransferRef[]> {
      const ids = responsesIn(batch);
      const transfers = { 'transfer.id': { $in: batch.map(ref => ref.transferId) } };
      const holders = { 'transfer.holder': { $in: batch.map(ref => ref.holder) } };
      // A claim that was applied is a use that is held.
      const use = { $cond: [{ $eq: ['$use', 'claiming'] }, 'held', '$use'] };
      const { matchedCount } = await responses.collection.updateMany(
        { ...ids, ...transfers, ...holders, 'transfer.state': 'intended' },
        [{ $set: { 'transfer.state': 'applied', use } }],
      );
      if (matchedCount === batch.length) return batch;
      const marked = await responses.collection
        .find({ ...ids, ...transfers, 'transfer.state': 'applied' }, { projection: { _id: 1 } })
        .toArray();
      const known = new Set(marked.map(response => String(response._id)));
      return batch.filter(ref => known.has(ref.responseId));
    },

    /** Step 4. */
    async forgetOnLink(link: LinkKey, transferIds: TransferId[]): Promise<void> {
      await links.collection.updateOne(linkAt(link) as object, { $pull: { applied: { $in: transferIds } } as never });
    },

    /** Step 5. */
    async clear(batch: TransferRef[]): Promise<void> {
      await responses.collection.updateMany(
        {
          ...responsesIn(batch),
          'transfer.id': { $in: batch.map(ref => ref.transferId) },
          'transfer.state': 'applied',
        },
        { $unset: { transfer: '' } },
      );
    },

    /** Instead of 3 to 5, where a claim was refused: the response is as it was before. */
    async undo(responseId: string, transfer: Transfer): Promise<void> {
      const { id, holder } = transfer;
      const intended = {
        ...responseAt(responseId),
        'transfer.id': id,
        'transfer.holder': holder,
        'transfer.state': 'intended',
      } as const;
      if (transfer.kind === 'begin') await responses.deleteOne(intended);
      else await responses.updateOne(intended, { $set: { use: 'released' }, $unset: { transfer: '' } });
    },

    /** The response with its transfer in our hands, where the holder before has let the lease run out. */
    async takeOver(responseId: string): Promise<Response | null> {
      return await responses
        .findOneAndUpdate(
          {
            ...responseAt(responseId),
            'transfer.state': 'intended',
            $expr: { $lt: [{ $add: ['$transfer.leaseUntil', takeOverAfterMs] }, '$$NOW'] },
          },
          [{ $set: { 'transfer.leaseUntil': serverTime(leaseMs), 'transfer.holder': new Types.ObjectId() } }],
          { returnDocument: 'after', updatePipeline: true },
        )
        .lean<Response>();
    },

    /** Responses whose transfer was left in between. */
    async leftOver(now: Date, limit: number): Promise<Response[]> {
      return await responses
        .find({ 'transfer.leaseUntil': { $lt: new Date(now.getTime() - takeOverAfterMs) } })
        .sort({ 'transfer.leaseUntil': 1 })
        .limit(limit)
        .lean<Response[]>();
    },
  };
}

/** Returns the date of the latest transfer under each name that has any. */
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
