import { type Link, SHARED_POSITION } from '../domain/link.ts';
import type { Project } from '../domain/project.ts';
import { isRemindable, type ReminderProgress, type ReminderTime } from '../domain/reminders.ts';
import { linkReminderDue } from '../messages.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';
import { PLAIN_PROJECT } from './projects.ts';
import type { ClientSession } from './transaction.ts';

/*
 * One transaction moves the progress of a project and reminds the links of one batch, so that a kill repeats nothing.
 * Whatever must end the reminders writes one of the same documents: a close and an expiry the project, a stop, a
 * disabling and a claim the link, a landing the response. Such a write happens before the transaction, which then sees
 * it, or waits for its end.
 */

type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

const BATCH = 100;

const isOpen = (now: Date) => ({
  closedAt: { $exists: false },
  $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
});

export function createReminders({ projects, links, responses }: Models, transact: Transact) {
  /** Returns the links after the progress whose time has come, in order, and the progress after them. */
  async function dueLinks(project: Project, time: ReminderTime, now: Date, session: ClientSession) {
    const progress = project.reminders![time.key]!;
    const projectId = project._id;
    const find = (filter: object, sort: Record<string, 1>, hint: object | string) =>
      links
        .find({ projectId, ...filter }, PLAIN_LINK)
        .session(session)
        .sort(sort)
        .limit(BATCH)
        .hint(hint as never);
    if (time.kind === 'after') {
      const after = Math.max(SHARED_POSITION, progress.position);
      const order = { projectId: 1, position: 1 };
      const rows = await find({ position: { $gt: after } }, { position: 1 }, order).lean<Link[]>();
      const isDue = ({ createdAt }: Link) => createdAt.getTime() + time.ms <= now.getTime();
      const end = rows.findIndex(link => !isDue(link));
      const due = end === -1 ? rows : rows.slice(0, end);
      const next: ReminderProgress = { since: progress.since, position: due.at(-1)?.position ?? progress.position };
      const fresh = due.filter(({ createdAt }) => createdAt.getTime() + time.ms > progress.since.getTime());
      return { due: fresh, next, more: due.length === BATCH };
    }
    const from = progress.dueAt ?? new Date(progress.since.getTime() + time.ms);
    const until = new Date(now.getTime() + time.ms);
    const later = {
      $or: [{ dueAt: { $gt: from, $lte: until } }, { dueAt: from, position: { $gt: progress.position } }],
    };
    const due = await find(later, { dueAt: 1, position: 1 }, 'deadlines').lean<Link[]>();
    const more = due.length === BATCH;
    const last = due.at(-1);
    const reached = more && last ? { position: last.position, dueAt: last.dueAt! } : { position: 0, dueAt: until };
    return { due: due.filter(({ dueAt }) => dueAt! > now), next: { since: progress.since, ...reached }, more };
  }

  /** Returns the links whose person has sent nothing. No clip of theirs can land before the transaction ends. */
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

  async function emit(some: Link[], key: string | undefined, session: ClientSession): Promise<void> {
    if (some.length === 0) return;
    const updates = some.map(link => ({
      updateOne: {
        filter: linkAt({ linkId: link._id, projectId: link.projectId }),
        update: {
          $push: { outbox: linkReminderDue(link, (link.remindersSent ?? 0) + 1) },
          $inc: { remindersSent: 1 },
          ...(key === undefined ? {} : { $addToSet: { reminded: key } }),
          $currentDate: { changedAt: true },
        },
      },
    }));
    await links.collection.bulkWrite(updates as never, { session });
  }

  return {
    /** Returns projects whose reminders are to be looked at, the longest waiting first. */
    async dueProjects(now: Date, limit: number): Promise<Project[]> {
      return await projects
        .find({ remindAt: { $lte: now } }, PLAIN_PROJECT)
        .sort({ remindAt: 1 })
        .limit(limit)
        .lean<Project[]>();
    },

    /** Reminds one batch of links. Returns whether more links may be due, and how many were reminded. */
    async remindBatch(project: Project, time: ReminderTime, now: Date): Promise<{ more: boolean; reminded: number }> {
      const { _id } = project;
      const field = `reminders.${time.key}`;
      return await transact(async session => {
        const known = { _id, ...isOpen(now), [field]: project.reminders![time.key] };
        const { due, next, more } = await dueLinks(project, time, now, session);
        const { matchedCount } = await projects.collection.updateOne(
          known as never,
          { $set: { [field]: next } as never },
          { session },
        );
        // Another process or the owner was faster.
        if (matchedCount === 0) return { more: false, reminded: 0 };
        const wanted = due.filter(link => isRemindable(link) && !link.reminded?.includes(time.key));
        const some = await withoutClip(wanted, now, session);
        await emit(some, time.key, session);
        return { more, reminded: some.length };
      });
    },

    async lookAgain(projectId: string, at: Date): Promise<void> {
      await projects.updateOne({ _id: projectId, remindAt: { $exists: true } }, { $set: { remindAt: at } });
    },

    /** Reminds one link now. Returns null for an unknown link, false if it may not be reminded. */
    async remindOne(ownerId: string, key: LinkKey, now: Date): Promise<Link | false | null> {
      return await transact(async session => {
        const link = await links
          .findOne({ ...linkAt(key), ownerId }, PLAIN_LINK)
          .session(session)
          .lean<Link>();
        if (!link) return null;
        // Writes the project, so that it cannot be closed meanwhile.
        const { matchedCount } = await projects.collection.updateOne(
          { _id: key.projectId, ...isOpen(now) } as never,
          { $set: { remindedAt: now } as never },
          { session },
        );
        const [some] = matchedCount === 1 && isRemindable(link) ? await withoutClip([link], now, session) : [];
        if (!some) return false;
        await emit([some], undefined, session);
        return { ...link, remindersSent: (link.remindersSent ?? 0) + 1 };
      });
    },

    /** Returns false for an unknown link. */
    async stop(key: LinkKey): Promise<boolean> {
      const { matchedCount } = await links.updateOne(
        { ...linkAt(key), type: 'unique', remindersStopped: { $ne: true } },
        { $set: { remindersStopped: true }, $currentDate: { changedAt: true } },
      );
      return matchedCount === 1 || (await links.exists(linkAt(key))) !== null;
    },
  };
}
