import { Types } from 'mongoose';
import { counterChange, landsClip, type Transfer, type TransferKind, takesUse } from '../domain/transfer.ts';
import type { Models, ResponseDocument, TransferId } from './schemas.ts';

/*
 * A transfer changes the counters of a link exactly once, without a transaction over the link:
 *
 *   1. the response records it as `intended`                                       (responses.insert, beginTransfer)
 *   2. the link takes it, if its id is not in `applied`: counters and id, one write      (applyToLink)
 *   3. the response marks it `applied`                                                   (markApplied)
 *   4. the id is pulled from the link                                                    (forgetOnLink)
 *   5. the response drops it                                                             (clear)
 *
 * Whoever finds one after a crash goes on from where it stands. The id keeps step 2 from happening twice before step 4;
 * after step 4 nobody may try step 2 again. So one at a time holds a transfer: steps 2 and 3 are its holder's alone. A
 * former holder is kept from step 3 by the holder's id, and from step 2 by the lease: the update itself asks the
 * database's clock, is cut off after `applyLimitMs`, and a take-over waits that long past the end of the lease. Steps 4
 * and 5 follow `applied` and harm nothing when done twice.
 */

export type AppliedOutcome = 'applied' | 'refused' | 'lease_lost';

/** Names one transfer in its response and its link. */
export interface TransferRef {
  responseId: string;
  linkId: string;
  transferId: TransferId;
  holder: TransferId;
}

export function createTransferSteps({ links, responses }: Models, leaseMs: number) {
  // An update that was held up ends before anybody may take its transfer over.
  const applyLimitMs = Math.ceil(leaseMs / 2);
  const takeOverAfterMs = leaseMs;

  async function isApplied(linkId: string, transfer: Transfer<TransferId>): Promise<AppliedOutcome> {
    // Local reads see the write that the update before was decided on, even if no majority has it yet.
    const [seen] = await links.collection
      .find(
        { _id: linkId as never },
        {
          readConcern: { level: 'local' },
          projection: { has: { $in: [transfer.id, '$applied'] }, late: { $gte: ['$$NOW', transfer.leaseUntil] } },
          maxTimeMS: applyLimitMs,
        },
      )
      .toArray();
    if (seen?.has) return 'applied';
    return seen?.late ? 'lease_lost' : 'refused';
  }

  return {
    make(kind: TransferKind, now: Date): Transfer<TransferId> {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      return { id: new Types.ObjectId(), holder: new Types.ObjectId(), kind, state: 'intended', at: now, leaseUntil };
    },

    /** Step 2. `refused`: no use is free, or the link is disabled. */
    async applyToLink(linkId: string, transfer: Transfer<TransferId>): Promise<AppliedOutcome> {
      const inLease = { $lt: ['$$NOW', transfer.leaseUntil] };
      const hasRoom = { $lt: [{ $add: ['$claimed', '$landed'] }, '$maxUses'] };
      const conditional = takesUse(transfer.kind);
      const { matchedCount } = await links.collection.updateOne(
        {
          _id: linkId as never,
          ...(conditional ? { disabled: false } : {}),
          applied: { $ne: transfer.id },
          $expr: conditional ? { $and: [hasRoom, inLease] } : inLease,
        },
        {
          $inc: { ...counterChange(transfer.kind) },
          $push: { applied: transfer.id } as never,
          ...(landsClip(transfer.kind) ? { $max: { submittedAt: transfer.at } } : {}),
        },
        { maxTimeMS: applyLimitMs },
      );
      return matchedCount === 1 ? 'applied' : await isApplied(linkId, transfer);
    },

    /** Step 3, where the holder is still the same: gives the ones that are `applied` now. */
    async markApplied(batch: TransferRef[]): Promise<TransferRef[]> {
      const ids = { _id: { $in: batch.map(ref => ref.responseId) as never[] } };
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
    async forgetOnLink(linkId: string, transferIds: TransferId[]): Promise<void> {
      await links.collection.updateOne({ _id: linkId as never }, { $pull: { applied: { $in: transferIds } } as never });
    },

    /** Step 5. */
    async clear(batch: TransferRef[]): Promise<void> {
      await responses.collection.updateMany(
        {
          _id: { $in: batch.map(ref => ref.responseId) as never[] },
          'transfer.id': { $in: batch.map(ref => ref.transferId) },
          'transfer.state': 'applied',
        },
        { $unset: { transfer: '' } },
      );
    },

    /** Instead of 3 to 5, where a claim was refused: the response is as it was before. */
    async undo(responseId: string, transfer: Transfer<TransferId>): Promise<void> {
      const { id, holder } = transfer;
      const intended = {
        _id: responseId,
        'transfer.id': id,
        'transfer.holder': holder,
        'transfer.state': 'intended',
      } as const;
      if (transfer.kind === 'begin') await responses.deleteOne(intended);
      else await responses.updateOne(intended, { $set: { use: 'released' }, $unset: { transfer: '' } });
    },

    /** The response with its transfer in our hands, where the holder before has let the lease run out. */
    async takeOver(responseId: string, now: Date): Promise<ResponseDocument | null> {
      return await responses
        .findOneAndUpdate(
          {
            _id: responseId,
            'transfer.state': 'intended',
            $expr: { $lt: [{ $add: ['$transfer.leaseUntil', takeOverAfterMs] }, '$$NOW'] },
          },
          {
            $set: {
              'transfer.leaseUntil': new Date(now.getTime() + leaseMs),
              'transfer.holder': new Types.ObjectId(),
            },
          },
          { returnDocument: 'after' },
        )
        .lean<ResponseDocument>();
    },

    /** Responses whose transfer was left in between. */
    async leftOver(now: Date, limit: number): Promise<ResponseDocument[]> {
      return await responses
        .find({ 'transfer.leaseUntil': { $lt: new Date(now.getTime() - takeOverAfterMs) } })
        .sort({ 'transfer.leaseUntil': 1 })
        .limit(limit)
        .lean<ResponseDocument[]>();
    },
  };
}

export function refOf(response: ResponseDocument): TransferRef {
  const { id, holder } = response.transfer!;
  return { responseId: response._id, linkId: response.linkId, transferId: id, holder };
}

export type TransferSteps = ReturnType<typeof createTransferSteps>;
