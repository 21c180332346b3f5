import type { Archive, ArchivePage } from '../domain/exports/archive.ts';
import { databaseNow } from './database-clock.ts';
import type { Models } from './models.ts';

/** The project of an archive, and the clips that the archive shows. */
export interface ArchiveScope {
  ownerId: string;
  projectId: string;
  /** Identifies the filter, and whether links are included. */
  selection: string;
}

/** Identifies an archive; `projectId` is the shard key. */
export type ArchiveKey = Pick<Archive, 'id' | 'projectId'>;

export interface ReadyArchive extends Archive {
  /** The fingerprint of the content from which the archive was made. */
  fingerprint: string;
  /**
   * The fingerprint of the content outside the submissions. Undefined when this fingerprint and `changedAt` cannot show
   * whether the archive is current.
   */
  frame?: string | undefined;
  /** When a submission of the project last changed. */
  changedAt?: Date | undefined;
}

/** How long an archive can be read, in milliseconds: after its last use, and in total. */
export interface ArchiveLife {
  idleMs: number;
  wholeMs: number;
}

/** The records of the archives. All times are from the database's clock. */
export interface ArchiveStore {
  /** Returns the state of the project's erasures. Call this before you read the rows. */
  erasures(projectId: string): Promise<Pick<Archive, 'erasedSince' | 'erasedCount'>>;
  /** Returns whether no clip of the project was erased since the rows were read. */
  isUnerased(archive: Archive): Promise<boolean>;
  /**
   * Creates an archive. It expires after `limitMs` unless it becomes `ready`. From now on, the uploads that the archive
   * shows are kept.
   */
  begin(
    scope: ArchiveScope &
      Pick<ReadyArchive, 'id' | 'fingerprint' | 'cipherKey' | 'frame' | 'changedAt' | 'erasedSince' | 'erasedCount'>,
    hasSources: boolean,
    limitMs: number,
  ): Promise<void>;
  addPage(id: string, page: ArchivePage): Promise<void>;
  /** Marks the archive as readable. Returns false if the archive was ended during its build. */
  ready(
    archive: ArchiveKey,
    made: Pick<Archive, 'etag' | 'size' | 'texts' | 'directoryAt'>,
    idleMs: number,
  ): Promise<boolean>;
  /** Returns the readable archives, the newest first. */
  readable(scope: ArchiveScope): Promise<ReadyArchive[]>;
  find(key: { ownerId: string; projectId: string; id: string }): Promise<ReadyArchive | undefined>;
  /** Postpones the expiry, because the archive is being read. */
  used(archive: ArchiveKey, life: ArchiveLife): Promise<void>;
  /** Returns the page that contains the video at `offset`. The offset must be before the directory. */
  pageAt(id: string, offset: number): Promise<ArchivePage | undefined>;
  /** Returns whether an archive of the project shows an upload whose media is not made yet. */
  holdsSources(projectId: string): Promise<boolean>;
  /** Ends all archives of a project, so that they can no longer be read. Returns their number. */
  end(projectId: string): Promise<number>;
  /**
   * Ends the archives of a project beyond the `keep` newest, unless they were read in the last minutes. `idleMs` is how
   * long an archive exists after its last use. Beyond a hundred archives, ends the oldest even if they are being read.
   * Returns how many it ended.
   */
  endUnread(projectId: string, keep: number, idleMs: number): Promise<number>;
  endOne(archive: ArchiveKey): Promise<void>;
  /** Returns ended and expired archives whose objects must be removed. */
  due(limit: number): Promise<ArchiveKey[]>;
  /** Deletes the record of an archive whose objects were removed. */
  remove(archive: ArchiveKey): Promise<void>;
}

// An erasure needs far less time than this from its start to the write of its tombstone.
const ERASING_MS = 10 * 60_000;
// Objects are removed this long after the archive's end, because a process that still builds the archive may store more
// objects.
const LINGER_MS = 15 * 60_000;
// The precision of the recorded last use. The actual last use may be this much later.
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
      if (rows.length === 0) return [];
      // A reader of such an archive notices the end at its next check.
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
