import { type Link, SHARED_POSITION } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import {
  isFresh,
  isRecent,
  linkRefusal,
  projectRefusal,
  type ReminderTime,
  type RemindRefusal,
} from '../domain/reminders.ts';
import { linkReminderDue } from '../messages.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';
import { PLAIN_PROJECT } from './projects.ts';
import type { ClientSession } from './transaction.ts';

/*
 * One transaction moves the progress of a project and adds the events to the links of one batch, so that a kill neither
 * loses nor repeats a reminder. Every operation that ends reminders writes a document that this transaction also writes:
 * a close and an expiry write the project; a stop, a disable and a claim write the link; a landing writes the response.
 * So the transaction sees the write, or the write waits for the end of the transaction.
 */

type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;
type Now = () => Date;

/** The maximum number of links in one transaction. */
const BATCH = 100;
/** The maximum number of due projects that one poll reads, from the index only, to find their owners. */
const QUEUE = 10_000;
const PROJECTS_PER_OWNER = 10;

export interface DueOwner {
  ownerId: string;
  /** The projects that wait longest. */
  projectIds: string[];
}

export function createReminders({ projects, links, responses }: Models, transact: Transact) {
  /** Returns the first links after the stored progress, in the order of their reminder times. */
  function following({ _id: projectId, reminders }: Project, time: ReminderTime, limit: number) {
    const { position, since, dueAt } = reminders![time.key]!;
    if (time.kind === 'after')
      return links
        .find({ projectId, position: { $gt: Math.max(SHARED_POSITION, position) } }, PLAIN_LINK)
        .sort({ position: 1 })
        .hint({ projectId: 1, position: 1 })
        .limit(limit);
    const from = dueAt ?? new Date(since.getTime() + time.ms);
    const later = [{ dueAt: { $gt: from } }, { dueAt: from, position: { $gt: position } }];
    return links
      .find({ projectId, $or: later }, PLAIN_LINK)
      .sort({ dueAt: 1, position: 1 })
      .hint('deadlines')
      .limit(limit);
  }

  /** Returns the links whose person has sent nothing. Until the transaction ends, no clip of these people can land. */
  async function withoutClip(candidates: Link[], now: Date, session: ClientSession): Promise<Link[]> {
    const begun = candidates.filter(({ claimed }) => claimed > 0).map(({ _id }) => _id);
    if (begun.length === 0) return candidates;
    const solo = { linkId: { $in: begun }, solo: true };
    const answered: object = { ...solo, 'answers.0': { $exists: true } };
    const sent = await responses.find(answered, { linkId: 1 }).session(session).lean<{ linkId: string }[]>();
    const none: object = { ...solo, 'answers.0': { $exists: false } };
    await responses.collection.updateMany(none, { $set: { remindedAt: now } as never }, { session });
    const landed = new Set(sent.map(({ linkId }) => linkId));
    return candidates.filter(({ _id }) => !landed.has(_id));
  }

  async function emit(some: Link[], key: string | undefined, now: Date, session: ClientSession): Promise<void> {
    if (some.length === 0) return;
    const updates = some.map(link => ({
      updateOne: {
        filter: linkAt({ linkId: link._id, projectId: link.projectId }),
        update: {
          $push: { outbox: linkReminderDue(link, (link.remindersSent ?? 0) + 1) },
          $inc: { remindersSent: 1 },
          $set: { remindedAt: now },
          ...(key === undefined ? {} : { $addToSet: { reminded: key } }),
          $currentDate: { changedAt: true },
        },
      },
    }));
    await links.collection.bulkWrite(updates as never, { session });
  }

  return {
    /** Returns the owners with due projects, the longest waiting first. */
    async dueOwners(now: Date): Promise<DueOwner[]> {
      const owners = await projects
        .aggregate<DueOwner & { at: Date }>([
          { $match: { remindAt: { $lte: now } } },
          { $sort: { remindAt: 1 } },
          { $limit: QUEUE },
          {
            $group: {
              _id: '$ownerId',
              at: { $min: '$remindAt' },
              projectIds: { $firstN: { input: '$_id', n: PROJECTS_PER_OWNER } },
            },
          },
          { $project: { _id: 0, ownerId: '$_id', at: 1, projectIds: 1 } },
        ])
        .hint('due_reminders');
      return owners.sort((a, b) => a.at.getTime() - b.at.getTime());
    },

    /** Returns the time of the next link's reminder; undefined if no link is left. */
    async nextTime(project: Project, time: ReminderTime): Promise<Date | undefined> {
      const [link] = await following(project, time, 1).lean<Link[]>();
      return link && time.of(link);
    },

    /** Reminds the next batch of links. Returns the number of reminded links; 0 if another process was faster. */
    async remindBatch(project: Project, time: ReminderTime, clock: Now): Promise<number> {
      const field = `reminders.${time.key}`;
      const progress = project.reminders![time.key]!;
      return await transact(async session => {
        const now = clock();
        const rows = await following(project, time, BATCH).session(session).lean<Link[]>();
        const end = rows.findIndex(link => time.of(link) > now);
        const due = end === -1 ? rows : rows.slice(0, end);
        const last = due.at(-1);
        if (!last) return 0;
        const reached = {
          since: progress.since,
          position: last.position,
          ...(time.kind === 'before' && { dueAt: last.dueAt }),
        };
        const current = await projects
          .findOneAndUpdate(
            { _id: project._id, [field]: progress } as never,
            { $set: { [field]: reached } as never },
            { session, projection: PLAIN_PROJECT },
          )
          .lean<Project>();
        if (!current || projectRefusal(current, now)) throw new NotNow();
        const wanted = due.filter(link => isFresh(link, time, progress, now) && !linkRefusal(link));
        const some = await withoutClip(wanted, now, session);
        await emit(some, time.key, now, session);
        return some.length;
      }).catch(error => {
        if (error instanceof NotNow) return 0;
        throw error;
      });
    },

    /** Sets the time of the project's next reminder check, unless a change has moved it forward. */
    async lookAgain({ _id, remindAt }: Pick<Project, '_id' | 'remindAt'>, at: Date): Promise<void> {
      if (remindAt) await projects.updateOne({ _id, remindAt }, { $set: { remindAt: at } });
    },

    /** Makes the next reminder check of all projects of an owner due now. */
    async lookAtOwner(ownerId: string, now: Date): Promise<void> {
      await projects.updateMany({ ownerId, remindAt: { $gt: now } }, { $set: { remindAt: now } });
    },

    /** Reminds links now. Returns the reminded links and the reasons of the refusals, by id; unknown links are left out. */
    async remindNow(
      ownerId: string,
      projectId: string,
      linkIds: string[],
      clock: Now,
      session: ClientSession,
    ): Promise<Map<string, Link | RemindRefusal>> {
      const now = clock();
      const asked = { _id: { $in: linkIds }, projectId, ownerId };
      const found = await links.find(asked, PLAIN_LINK).session(session).lean<Link[]>();
      // Writes the project, so that nobody can close it before this transaction ends.
      const project = await projects
        .findOneAndUpdate(
          { _id: projectId, ownerId },
          { $set: { remindedAt: now } as never },
          { session, projection: PLAIN_PROJECT },
        )
        .lean<Project>();
      if (!project) return new Map();
      const results = new Map<string, Link | RemindRefusal>();
      const wanted: Link[] = [];
      for (const link of found) {
        const early = isRecent(link, now) ? 'recent' : undefined;
        const refusal = linkRefusal(link) ?? projectRefusal(project, now) ?? early;
        if (refusal) results.set(link._id, refusal);
        else wanted.push(link);
      }
      const some = await withoutClip(wanted, now, session);
      await emit(some, undefined, now, session);
      for (const { _id } of wanted) results.set(_id, 'sent');
      const ids = some.map(({ _id }) => _id);
      const reminded = await links
        .find({ _id: { $in: ids }, projectId, ownerId }, PLAIN_LINK)
        .session(session)
        .lean<Link[]>();
      for (const link of reminded) results.set(link._id, link);
      return results;
    },

    /** Returns false for an unknown link. */
    async stop(key: LinkKey): Promise<boolean> {
      const { matchedCount } = await links.updateOne(
        { ...linkAt(key), type: 'unique', remindersStopped: { $ne: true }, erasedAt: null },
        { $set: { remindersStopped: true }, $currentDate: { changedAt: true } },
      );
      return matchedCount === 1 || (await links.exists(linkAt(key))) !== null;
    },
  };
}

/** Thrown to abort a transaction that must change nothing. */
class NotNow extends Error {}
