import type { Stamp } from '@recording-request/kit/stamp-cache';
import { NOBODY } from './erasures.ts';
import { CHANGES_INDEX, type Models } from './models.ts';

interface Newest {
  changedAt: Date | null;
  now: Date;
}

// Makes the text of a stamp. Both queries give the same text for the same state, so that a poll can use figures that a
// list has computed.
const stampFrom = (changed: Newest, erased?: Pick<Newest, 'changedAt'>): Stamp => {
  const last = Math.max(changed.changedAt?.getTime() ?? 0, erased?.changedAt?.getTime() ?? 0);
  return { text: String(last), restedMs: changed.now.getTime() - last };
};

/**
 * Returns the last change of each project; a project without submissions has none. Reads two index entries per project,
 * however many submissions it has.
 */
export async function stampsOf(
  submissions: Models['submissions'],
  ownerId: string,
  projectIds: string[],
): Promise<Map<string, Stamp>> {
  if (projectIds.length === 1) return stampOfOne(submissions, ownerId, projectIds[0]!);
  const newest = (of: string) =>
    submissions.aggregate<Newest & { _id: string }>([
      { $match: { projectId: { $in: projectIds }, ownerId: of } },
      { $sort: { projectId: 1, ownerId: 1, changedAt: -1 } },
      { $group: { _id: '$projectId', changedAt: { $first: '$changedAt' } } },
      { $addFields: { now: '$$NOW' } },
    ]);
  const [changed, erased] = await Promise.all([newest(ownerId), newest(NOBODY)]);
  const erasedOf = new Map(erased.map(row => [row._id, row]));
  return new Map(changed.map(row => [row._id, stampFrom(row, erasedOf.get(row._id))]));
}

/**
 * Reads live submissions and tombstones in one query, because a find costs the server about half as much as an
 * aggregation.
 */
async function stampOfOne(
  submissions: Models['submissions'],
  ownerId: string,
  projectId: string,
): Promise<Map<string, Stamp>> {
  const newest = await submissions
    .findOne({ projectId, ownerId: { $in: [ownerId, NOBODY] } }, { _id: 0, changedAt: 1, now: '$$NOW' })
    .sort({ changedAt: -1 })
    .hint(CHANGES_INDEX)
    .lean<Newest>();
  return newest ? new Map([[projectId, stampFrom(newest)]]) : new Map();
}
