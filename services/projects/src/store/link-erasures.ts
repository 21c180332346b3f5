import type { OutboxEntry } from '@recording-request/events/outbox';
import type { Link } from '../domain/link.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';

export type OwnedLinkKey = LinkKey & Pick<Link, 'ownerId'>;

const COUNTERS = { claimed: 0, landed: 0, submissionCount: 0, applied: [], opened: false, complete: false };
const DATES = { openedAt: null, submittedAt: null, completedAt: null };
const PERSONAL = ['sealedInvitation', 'personKey', 'dueAt', 'dueSince'];
const REMINDERS = ['reminded', 'remindersSent', 'remindedAt', 'remindersStopped', 'ownerStoppedReminders'];

/** Returns the filter for a link's responses; `responsesOf` in erasures.ts explains it. */
const responsesWith = (linkId: string) => ({ linkId, _id: { $gte: `${linkId}:`, $lt: `${linkId};` } });

/*
 * Erases a unique link. One write closes it permanently and removes everything about its person. The row stays, so that
 * lists and programs that follow `changedAt` notice the erasure. After this write, the link accepts no transfer. A
 * claim that was already running inserts its response, finds the erased link and undoes itself; after a crash, the
 * sweeper undoes the claim.
 */
export function createLinkErasures({ links, responses }: Pick<Models, 'links' | 'responses'>) {
  return {
    /** Finds a link for a caller that does not know its project. */
    async findById(linkId: string): Promise<Link | null> {
      return await links.findOne({ _id: linkId }, PLAIN_LINK).lean<Link>();
    },

    /**
     * Closes the link and adds the events of the erasure. Returns the link as it was before; null if it was already
     * erased.
     */
    async close(
      { ownerId, ...key }: OwnedLinkKey,
      events: { always: OutboxEntry[]; ifOpen: OutboxEntry[] },
    ): Promise<Link | null> {
      const always = { $literal: events.always };
      return await links
        .findOneAndUpdate(
          { ...linkAt(key), ownerId, type: 'unique', erasedAt: null },
          [
            {
              $set: {
                ...{ ...COUNTERS, ...DATES, disabled: true, spent: '$landed', erasedAt: '$$NOW', changedAt: '$$NOW' },
                outbox: {
                  $concatArrays: [
                    { $ifNull: ['$outbox', []] },
                    always,
                    { $cond: ['$disabled', [], { $literal: events.ifOpen }] },
                  ],
                },
              },
            },
            { $unset: [...PERSONAL, ...REMINDERS] },
          ],
          { projection: PLAIN_LINK, updatePipeline: true },
        )
        .lean<Link>();
    },

    /** Returns the ids of a link's responses. A unique link has at most one. */
    async responsesOf(linkId: string): Promise<string[]> {
      const rows = await responses.find(responsesWith(linkId), { _id: 1 }).lean<{ _id: string }[]>();
      return rows.map(({ _id }) => _id);
    },

    async removeResponses(linkId: string): Promise<number> {
      return (await responses.deleteMany(responsesWith(linkId))).deletedCount;
    },
  };
}
