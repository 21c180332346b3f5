import type { OutboxEntry } from '@recording-request/events/outbox';
import type { Link } from '../domain/link.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';

export type OwnedLinkKey = LinkKey & Pick<Link, 'ownerId'>;

const COUNTERS = { claimed: 0, landed: 0, submissionCount: 0, applied: [], opened: false, complete: false };
const DATES = { openedAt: null, submittedAt: null, completedAt: null };
const PERSONAL = ['sealedInvitation', 'personKey', 'dueAt', 'dueSince'];
const REMINDERS = ['reminded', 'remindersSent', 'remindedAt', 'remindersStopped', 'ownerStoppedReminders'];

/** Returns the filter of a link's responses: see `responsesOf` of a project's erasure. */
const responsesWith = (linkId: string) => ({ linkId, _id: { $gte: `${linkId}:`, $lt: `${linkId};` } });

/*
 * Erases a unique link. One write closes it for good and removes everything about its person; the row stays, so that lists
 * and programs that follow `changedAt` notice it. After this write, the link takes no transfer. A claim that was running
 * inserts its response, finds the erased link and undoes itself; after a crash, the sweep of the transfers undoes it.
 */
export function createLinkErasures({ links, responses }: Pick<Models, 'links' | 'responses'>) {
  return {
    /** Returns a link whose project is not known. */
    async findById(linkId: string): Promise<Link | null> {
      return await links.findOne({ _id: linkId }, PLAIN_LINK).lean<Link>();
    },

    /** Adds the events of the erasure too. Returns the link as it was; null if it was erased before. */
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

    /** Returns the ids of the responses of a link: a unique link has one at most. */
    async responsesOf(linkId: string): Promise<string[]> {
      const rows = await responses.find(responsesWith(linkId), { _id: 1 }).lean<{ _id: string }[]>();
      return rows.map(({ _id }) => _id);
    },

    async removeResponses(linkId: string): Promise<number> {
      return (await responses.deleteMany(responsesWith(linkId))).deletedCount;
    },
  };
}
