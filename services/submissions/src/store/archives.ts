import type { Archive, ArchivePage } from '../domain/exports/archive.ts';
import { databaseNow } from './database-clock.ts';
import type { Models } from './models.ts';

/** Of what project, and what of it, an archive is. */
export interface ArchiveScope {
  ownerId: string;
  projectId: string;
  /** The filter, and whether links are shown. */
  selection: string;
}

/** Names an archive: its project is the key of the shard that has it. */
export type ArchiveKey = Pick<Archive, 'id' | 'projectId'>;

/** An archive that can be read. */
export interface ReadyArchive extends Archive {
  /** The state of the content that it was made from. */
  fingerprint: string;
  /** The state of what is not its project's submissions; undefined where that and `changedAt` do not tell whether it is current. */
  frame?: string | undefined;
  /** When a submission of the project had changed last. */
  changedAt?: Date | undefined;
}

/** How long an archive can be read: after its last use, and in all. */
export interface ArchiveLife {
  idleMs: number;
  wholeMs: number;
}

/** All its times are the database's. */
export interface ArchiveStore {
  /** What to remember of the project's erasures before its rows are read. */
  erasures(projectId: string): Promise<Pick<Archive, 'erasedSince' | 'erasedCount'>>;
  /** Whether nothing of the project was erased since its rows were read. */
  isUnerased(archive: Archive): Promise<boolean>;
  /** Begins one, which ends by itself after `limitMs` unless it is `ready`. From here on the uploads it shows are kept. */
  begin(
    scope: ArchiveScope &
      Pick<ReadyArchive, 'id' | 'fingerprint' | 'cipherKey' | 'frame' | 'changedAt' | 'erasedSince' | 'erasedCount'>,
    hasSources: boolean,
    limitMs: number,
  ): Promise<void>;
  addPage(id: string, page: ArchivePage): Promise<void>;
  /** Returns false where it was ended meanwhile. */
  ready(
    archive: ArchiveKey,
    made: Pick<Archive, 'etag' | 'size' | 'texts' | 'directoryAt'>,
    idleMs: number,
  ): Promise<boolean>;
  /** Those that can be read, the newest first. */
  readable(scope: ArchiveScope): Promise<ReadyArchive[]>;
  find(key: { ownerId: string; projectId: string; id: string }): Promise<ReadyArchive | undefined>;
  /** Notes that it is read, so that it does not expire meanwhile. */
  used(archive: ArchiveKey, life: ArchiveLife): Promise<void>;
  /** The videos at an offset, which is none of the directory. */
  pageAt(id: string, offset: number): Promise<ArchivePage | undefined>;
  /** Whether an archive of the project is kept that shows an upload whose media was not made yet. */
  holdsSources(projectId: string): Promise<boolean>;
  /** Ends all of a project: nothing can be read of them any more. Returns how many. */
  end(projectId: string): Promise<number>;
  /**
   * Ends those of a project beyond the `keep` newest that nobody reads: the last use of them, after which they stay `idleMs`,
   * is minutes ago. Beyond a hundred the oldest end though they are read. Returns how many.
   */
  endUnread(projectId: string, keep: number, idleMs: number): Promise<number>;
  /** Ends one. */
  endOne(archive: ArchiveKey): Promise<void>;
  /** Ended and expired ones, whose objects are to be removed. */
  due(limit: number): Promise<ArchiveKey[]>;
  /** Deletes the record of one whose objects are gone. */
  remove(archive: ArchiveKey): Promise<void>;
}

// An erasure takes its time before it writes its tombstone with it: by far not so long.
const ERASING_MS = 10 * 60_000;
// What a process that still makes an archive stores meanwhile is removed after its end, too.
const LINGER_MS = 15 * 60_000;
// How exactly the last use is known, and how long after it there may be a reader.
const USED_MS = 60_000;
const READING_MS = 5 * 60_000;
const MOST_KEPT = 100;

const archiveAt = ({ id, projectId }: ArchiveKey) => ({ _id: id, projectId });
const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
const ALIVE = { endedAt: null, readyAt: { $ne: null }, $expr: { $gt: ['$expiresAt', '$$NOW'] } };

export function createArchiveStore({ archives, archivePages, submissions }: Models): ArchiveStore {
  const erasedOf = (projectId: string, since: Date) =>
    submissions.countDocuments({ projectId, erasedAt: { $gte: since } });
  const end = async (filter: object) => {
    const now = await databaseNow(archives);
    const { modifiedCount } = await archives.updateMany(
      { ...filter, endedAt: null },
      { $set: { endedAt: now, expiresAt: later(now, LINGER_MS) }, $unset: { cipherKey: 1 } },
    );
    return modifiedCount;
  };
  return {
    async erasures(projectId) {
      const erasedSince = later(await databaseNow(archives), -ERASING_MS);
      return { erasedSince, erasedCount: await erasedOf(projectId, erasedSince) };
    },
    isUnerased: async ({ projectId, erasedSince, erasedCount }) =>
      (await erasedOf(projectId, erasedSince)) === erasedCount,
    async begin({ id, ...archive }, hasSources, limitMs) {
      const begunAt = await databaseNow(archives);
      await archives.create({ _id: id, ...archive, hasSources, begunAt, expiresAt: later(begunAt, limitMs) });
    },
    async addPage(archiveId, page) {
      await archivePages.create({ _id: `${archiveId}/${page.number}`, archiveId, ...page });
    },
    async ready(archive, made, idleMs) {
      const readyAt = await databaseNow(archives);
      const set = { ...made, readyAt, expiresAt: later(readyAt, idleMs) };
      const { modifiedCount } = await archives.updateOne({ ...archiveAt(archive), endedAt: null }, { $set: set });
      return modifiedCount > 0;
    },
    async readable({ ownerId, projectId, selection }) {
      const rows = await archives
        .find({ projectId, ownerId, selection, ...ALIVE })
        .sort({ begunAt: -1 })
        .lean();
      return rows.map(fromRow);
    },
    async find({ ownerId, projectId, id }) {
      const row = await archives.findOne({ _id: id, projectId, ownerId, ...ALIVE }).lean();
      return row ? fromRow(row) : undefined;
    },
    async used(archive, { idleMs, wholeMs }) {
      const unspentMs = idleMs - Math.min(USED_MS, idleMs / 10);
      const expiresAt = { $min: [{ $add: ['$$NOW', idleMs] }, { $add: ['$begunAt', wholeMs] }] };
      await archives.updateOne(
        { ...archiveAt(archive), endedAt: null, $expr: { $lt: ['$expiresAt', { $add: ['$$NOW', unspentMs] }] } },
        [{ $set: { expiresAt } }],
        { updatePipeline: true },
      );
    },
    async pageAt(archiveId, offset) {
      const page = archivePages.findOne({ archiveId, offset: { $lte: offset } }).sort({ offset: -1 });
      return ((await page.lean()) ?? undefined) as ArchivePage | undefined;
    },
    holdsSources: async projectId =>
      (await archives.exists({ projectId, hasSources: true, endedAt: null, $expr: ALIVE.$expr })) !== null,
    end: projectId => end({ projectId }),
    async endUnread(projectId, keep, idleMs) {
      const rows = await archives
        .find({ projectId, endedAt: null }, { begunAt: 1, readyAt: 1, expiresAt: 1 })
        .limit(2 * MOST_KEPT)
        .lean();
      const readUntil = later(await databaseNow(archives), idleMs - READING_MS);
      const old = rows
        .sort((one, other) => Number(other.begunAt) - Number(one.begunAt))
        .filter(({ readyAt, expiresAt }, at) => at >= MOST_KEPT || (at >= keep && readyAt && expiresAt! < readUntil));
      return old.length > 0 ? end({ _id: { $in: old.map(row => row._id) }, projectId }) : 0;
    },
    endOne: async archive => void (await end(archiveAt(archive))),
    async due(limit) {
      const now = await databaseNow(archives);
      const rows = await archives
        .find({ expiresAt: { $lte: now } }, { projectId: 1 })
        .sort({ expiresAt: 1 })
        .limit(limit)
        .lean();
      // One that is read just now goes on to its next look, which finds it ended.
      await archives.updateMany(
        { _id: { $in: rows.map(row => row._id) }, projectId: { $in: rows.map(row => row.projectId) }, endedAt: null },
        { $set: { endedAt: now }, $unset: { cipherKey: 1 } },
      );
      return rows.map(({ _id, projectId }) => ({ id: String(_id), projectId }));
    },
    async remove(archive) {
      await archivePages.deleteMany({ archiveId: archive.id });
      await archives.deleteOne(archiveAt(archive));
    },
  };
}

function fromRow(row: unknown): ReadyArchive {
  const { _id, ...archive } = row as Omit<ReadyArchive, 'id'> & { _id: string };
  return { ...archive, id: _id };
}
