import { LIMITS } from '@recording-request/contract/limits';
import { SUMMARY_SETTINGS } from '@recording-request/contract/project-settings';
import type { OutboxEntry } from '@recording-request/events/outbox';
import { patternOf } from '@recording-request/kit/search-pattern';
import type { Project, ProjectSummary } from '../domain/project.ts';
import type { reminderFields } from '../domain/reminders.ts';
import { roundRobinByOwner } from '../domain/sandbox.ts';
import type { ProjectDocument } from './documents.ts';
import type { Hashes } from './hashes.ts';
import { type LinkHeads, linkHeads } from './links.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

/** The changes of one update; absent fields stay unchanged. */
export interface ProjectChange {
  settings: Partial<Project['settings']>;
  expiresAt?: Date | null;
  secret?: Pick<Project['webhook'], 'secret' | 'former'>;
  /** null removes it. */
  retentionDays?: number | null;
  addressWasSet: boolean;
  /** Present if the owner changes the reminders. */
  reminding?: ReturnType<typeof reminderFields>;
  /** Present if the change may bring a reminder forward. */
  remindAt?: Date;
}

/** A project that has its own retention. */
export type OwnRetention = Required<Pick<Project, '_id' | 'ownerId' | 'retentionDays'>>;

// Enough for the sandboxes of fifty owners.
const SANDBOXES_READ = 50 * LIMITS.sandboxes;

/** Part of a pipeline update: makes the project's next reminder check due now, if it has reminders. */
const lookAtReminders = { remindAt: { $cond: [{ $gt: ['$remindAt', null] }, '$$NOW', '$$REMOVE'] } };

// A search reads the names of all of an owner's projects. The limit ends it in time for an HTTP response.
const PAGE_LIMIT_MS = 4_000;

export const PLAIN_PROJECT = {
  dashboardHash: 0,
  usesChange: 0,
  peopleVersion: 0,
  sandboxDueAt: 0,
  outbox: 0,
  // Has up to 64 KB.
  'logo.image': 0,
} as const;
// Leaves out the long texts: the questions alone can be 100 KB long.
const SUMMARY = {
  createdAt: 1,
  expiresAt: 1,
  closedAt: 1,
  ...Object.fromEntries(SUMMARY_SETTINGS.map(name => [name, `$settings.${name}`])),
  questionCount: { $size: '$settings.interviewQuestions' },
  webhookEnabled: { $ne: ['$settings.webhookUrl', ''] },
} as const;

const olderThan = (ownerId: string, after: string | undefined) => ({
  ownerId,
  ...(after === undefined ? {} : { _id: { $lt: after } }),
});

export function createProjects({ projects }: Pick<Models, 'projects'>, hashes: Hashes) {
  const newestFirst = (filter: object, limit: number) =>
    projects.find(filter, SUMMARY).sort({ _id: -1 }).limit(limit).maxTimeMS(PAGE_LIMIT_MS).lean<ProjectSummary[]>();

  return {
    async insert(
      project: Project,
      { dashboardHash, created }: { dashboardHash: Buffer; created: OutboxEntry },
      session: ClientSession,
    ): Promise<void> {
      const document = { ...project, dashboardHash, usesChange: null, outbox: [created] };
      await projects.collection.insertOne(document as never, { session });
      await hashes.insertMany([{ hash: dashboardHash, kind: 'dashboard', id: project._id }], session);
    },

    async find(ownerId: string, projectId: string): Promise<Project | null> {
      return await projects.findOne({ _id: projectId, ownerId }, PLAIN_PROJECT).lean<Project>();
    },

    /** Returns the project with the links that its sums need, in one query; null if this owner has no such project. */
    async findWithLinks(ownerId: string, projectId: string): Promise<(Project & LinkHeads) | null> {
      const [project] = await projects.aggregate<Project & LinkHeads>([
        { $match: { _id: projectId, ownerId } },
        { $project: PLAIN_PROJECT },
        ...(linkHeads(ownerId, projectId) as never[]),
      ]);
      return project ?? null;
    },

    /** Returns null if this owner has no such project. */
    async nameOf(ownerId: string, projectId: string): Promise<{ projectName: string; hasInvitations: boolean } | null> {
      const project = await projects
        .findOne({ _id: projectId, ownerId }, { 'settings.projectName': 1, hasInvitations: 1 })
        .lean<{ settings: Pick<Project['settings'], 'projectName'>; hasInvitations?: boolean }>();
      return project && { ...project.settings, hasInvitations: project.hasInvitations ?? false };
    },

    /**
     * Makes transactions that add links or people to the same project run one after another: if two run at the same
     * time, one fails here and is retried. Returns null if this owner has no such project.
     */
    async lockPeople(
      ownerId: string,
      projectId: string,
      { invites }: { invites: boolean },
      session: ClientSession,
    ): Promise<Project | null> {
      return await projects
        .findOneAndUpdate(
          { _id: projectId, ownerId },
          [
            {
              $set: {
                peopleVersion: { $add: [{ $ifNull: ['$peopleVersion', 0] }, 1] },
                ...(invites ? { hasInvitations: true } : {}),
                ...lookAtReminders,
              },
            },
          ],
          { returnDocument: 'after', projection: PLAIN_PROJECT, session, updatePipeline: true },
        )
        .lean<Project>();
    },

    /** Call this before a response with a reference is stored, if the project's `hasInvitations` is not true. */
    async setHasInvitations(projectId: string): Promise<void> {
      await projects.updateOne({ _id: projectId }, { $set: { hasInvitations: true } });
    },

    async countOf(ownerId: string): Promise<number> {
      return await projects.countDocuments({ ownerId });
    },

    /** Finds a project for callers without an owner: contributors' links and the webhooks service. */
    async findForService(projectId: string): Promise<Project | null> {
      return await projects.findOne({ _id: projectId }, PLAIN_PROJECT).lean<Project>();
    },

    /** Returns some of an owner's projects, newest first, after the project `after`. */
    async pageOf(ownerId: string, after: string | undefined, limit: number): Promise<ProjectSummary[]> {
      return await newestFirst(olderThan(ownerId, after), limit);
    },

    /** Does the same with only the projects whose name has all words. Reads the names from an index. */
    async search(
      ownerId: string,
      { words, after }: { words: string[]; after: string | undefined },
      limit: number,
    ): Promise<ProjectSummary[]> {
      const named = { $all: words.map(word => new RegExp(patternOf(word), 'i')) };
      return await newestFirst({ ...olderThan(ownerId, after), 'settings.projectName': named }, limit);
    },

    /**
     * Applies a change to a project that the caller has read as `before`, and adds the event of this change. Returns
     * null if the owner no longer has the project, or if another request has changed one of the same fields.
     */
    async update(before: Project, change: ProjectChange, event: OutboxEntry | undefined): Promise<Project | null> {
      const set: Record<string, unknown> = {};
      const known: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(change.settings)) {
        set[`settings.${field}`] = value;
        known[`settings.${field}`] = before.settings[field as keyof Project['settings']] ?? null;
      }
      if (change.expiresAt !== undefined) {
        set.expiresAt = change.expiresAt;
        known.expiresAt = before.expiresAt;
      }
      const unset: Record<string, unknown> = change.reminding?.remindAt === null ? { remindAt: '' } : {};
      if (change.retentionDays !== undefined) {
        if (change.retentionDays === null) unset.retentionDays = '';
        else set.retentionDays = change.retentionDays;
        known.retentionDays = before.retentionDays ?? null;
      }
      if (change.remindAt) set.remindAt = change.remindAt;
      if (change.reminding) {
        const { reminders, remindAt } = change.reminding;
        Object.assign(set, { reminders, ...(remindAt ? { remindAt } : {}) });
      }
      if (change.secret) {
        known['webhook.secret'] = before.webhook.secret;
        set['webhook.secret'] = change.secret.secret;
        set['webhook.former'] = change.secret.former;
      }
      return await projects
        .findOneAndUpdate(
          { _id: before._id, ownerId: before.ownerId, ...known },
          {
            $set: set,
            $unset: unset,
            ...(change.addressWasSet ? { $inc: { 'webhook.targetVersion': 1 } } : {}),
            ...(event ? { $push: { outbox: event } } : {}),
          },
          { returnDocument: 'after', projection: PLAIN_PROJECT },
        )
        .lean<Project>();
    },

    /**
     * Closes a project, or opens it again. A closed project keeps its first time. Returns null if this owner has no such
     * project.
     */
    async setClosed(
      { _id, ownerId }: Pick<Project, '_id' | 'ownerId'>,
      closedAt: Date | null,
      event: OutboxEntry,
    ): Promise<Project | null> {
      const changes = { $eq: [{ $gt: ['$closedAt', null] }, closedAt === null] };
      const outbox = {
        $cond: [changes, { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: [event] }] }, '$outbox'],
      };
      return await projects
        .findOneAndUpdate(
          { _id, ownerId },
          [
            { $set: { outbox, ...lookAtReminders } },
            closedAt ? { $set: { closedAt: { $ifNull: ['$closedAt', closedAt] } } } : { $unset: 'closedAt' },
          ],
          { returnDocument: 'after', projection: PLAIN_PROJECT, updatePipeline: true },
        )
        .lean<Project>();
    },

    /** Returns the projects that have their own retention, in the order of their ids. */
    async retentions(after: string, limit: number): Promise<OwnRetention[]> {
      return await projects
        .find({ _id: { $gt: after }, retentionDays: { $exists: true } }, { _id: 1, ownerId: 1, retentionDays: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('retentions')
        .lean<OwnRetention[]>();
    },

    /** Returns the end of the sandbox that ends first; undefined without a sandbox. */
    async firstSandboxEnd(): Promise<Date | undefined> {
      const first = await projects
        .findOne({ sandboxEndsAt: { $exists: true } }, { sandboxEndsAt: 1 })
        .sort({ sandboxEndsAt: 1 })
        .hint('sandbox_ends')
        .lean<Pick<Project, 'sandboxEndsAt'>>();
      return first?.sandboxEndsAt;
    },

    /**
     * Returns at most `limit` sandboxes whose erasure is due. Postpones each erasure by `againMs`, so that another
     * caller retries it if this one fails. Owners take turns.
     */
    async takeEndedSandboxes(now: Date, limit: number, againMs: number): Promise<Pick<Project, '_id' | 'ownerId'>[]> {
      const due = await projects
        .find({ sandboxDueAt: { $lte: now } }, { ownerId: 1, sandboxDueAt: 1 })
        .sort({ sandboxDueAt: 1 })
        .limit(SANDBOXES_READ)
        .lean<Pick<ProjectDocument, '_id' | 'ownerId' | 'sandboxDueAt'>[]>();
      const taken = await Promise.all(
        roundRobinByOwner(due, limit).map(async ({ _id, ownerId, sandboxDueAt }) => {
          const again = { $set: { sandboxDueAt: new Date(now.getTime() + againMs) } };
          const { modifiedCount } = await projects.updateOne({ _id, sandboxDueAt }, again);
          return modifiedCount === 1 ? [{ _id, ownerId }] : [];
        }),
      );
      return taken.flat();
    },

    async idsOf(ownerId: string, limit: number): Promise<string[]> {
      const list = await projects.find({ ownerId }, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean();
      return list.map(project => String(project._id));
    },

    async setDashboardHash(ownerId: string, projectId: string, dashboardHash: Buffer): Promise<boolean> {
      if (!(await projects.exists({ _id: projectId, ownerId }))) return false;
      // Inserts the look-up entry first, because it must exist before a client gets the token.
      await hashes.insertMany([{ hash: dashboardHash, kind: 'dashboard', id: projectId }]);
      const before = await projects
        .findOneAndUpdate(
          { _id: projectId, ownerId },
          { $set: { dashboardHash } },
          { projection: { dashboardHash: 1 } },
        )
        .lean<{ dashboardHash: Buffer }>();
      await hashes.remove([before?.dashboardHash ?? dashboardHash]);
      return before !== null;
    },

    async findByDashboardHash(dashboardHash: Buffer): Promise<Pick<Project, '_id' | 'ownerId'> | null> {
      const entry = await hashes.find('dashboard', dashboardHash);
      if (!entry) return null;
      return await projects
        .findOne({ _id: entry.id, dashboardHash }, { ownerId: 1 })
        .lean<Pick<Project, '_id' | 'ownerId'>>();
    },
  };
}
