import { createHash } from 'node:crypto';
import { csvHeader } from '@recording-request/contract/export';
import { uuidv7 } from '@recording-request/kit/ids';
import { newCipherKey } from '@recording-request/kit/seekable-cipher';
import type { OpenArchiveRequest } from '@recording-request/proto/exports/v1/exports';
import type { Context } from '../../context.ts';
import type { ArchiveScope, ReadyArchive } from '../../store/archives.ts';
import { buildArchive } from './build-archive.ts';
import {
  type ExportContext,
  type ExportSource,
  type KeptLinks,
  loadFrame,
  openArchived,
  startExport,
} from './export-project.ts';

export type ArchiveContext = ExportContext & Pick<Context, 'archives' | 'archiveBuilds' | 'exports'>;

const DAY_MS = 86_400_000;
/**
 * The maximum age of an archive, even in constant use. Tombstones exist longer, so that they show whether an archive
 * has erased clips.
 */
const WHOLE_DAYS = 7;

export interface OpenedArchive extends ReadyArchive {
  /**
   * True if a resumed download without an ETag may have started with other bytes, because several archives exist or
   * none was left.
   */
  mayDiffer: boolean;
}

/**
 * Returns the archive with which a download started, if it is still readable. Otherwise returns the archive of the
 * current content, and makes this archive if it does not exist. Fails with `not_found` when the project is not the
 * owner's.
 */
export async function openArchive(
  context: ArchiveContext,
  request: OpenArchiveRequest,
  signal: AbortSignal,
): Promise<OpenedArchive> {
  const { archives } = context;
  const selection = selectionOf(request);
  const { ownerId, projectId, etag, resume } = request;
  const scope = { ownerId, projectId, selection };
  if (etag !== '' || resume) {
    const readable = await archives.readable(scope);
    const begun = etag === '' ? readable[0] : readable.find(each => each.etag === etag);
    const mayDiffer = readable.some(each => each.etag !== begun?.etag);
    if (begun && (await archives.isUnerased(begun))) return { ...(await used(context, begun)), mayDiffer };
  }
  using _slot = startExport(context.exports, ownerId);
  const archive = await used(context, await current(context, { ...request, ...scope }, signal));
  return { ...archive, mayDiffer: resume };
}

/** Postpones the archive's expiry, because it is being read. */
export async function used(
  { archives, config }: Pick<ArchiveContext, 'archives' | 'config'>,
  archive: ReadyArchive,
): Promise<ReadyArchive> {
  await archives.used(archive, { idleMs: config.exportResumeSeconds * 1_000, wholeMs: WHOLE_DAYS * DAY_MS });
  return archive;
}

/** Returns the archive of the project's current content. */
async function current(
  context: ArchiveContext,
  request: OpenArchiveRequest & { selection: string },
  signal: AbortSignal,
): Promise<ReadyArchive> {
  const { archives, archiveBuilds } = context;
  const { ownerId, projectId, selection } = request;
  // Reads this state before the rows, so that the check at the end notices every later erasure.
  const erasures = await archives.erasures(projectId);
  const loaded = await loadFrame(request, context);
  const frame = hashOf([csvHeader(), loaded.project], loaded.links);
  const scope = { ownerId, projectId, selection };
  const unchanged = await findUnchanged(context, scope, frame);
  if (unchanged) return unchanged;
  const source = await openArchived(request, loaded, context, signal);
  const { changedAt, missing } = source.plan;
  const fingerprint = fingerprintOf(source);
  const same = (await archives.readable(scope)).find(each => each.fingerprint === fingerprint);
  if (same && (await archives.isUnerased(same))) return same;
  const settled = isSettled(changedAt, erasures.erasedSince) && missing.length === 0 ? { frame, changedAt } : {};
  const cipherKey = newCipherKey().toString('base64url');
  const draft = { ...scope, ...erasures, ...settled, id: uuidv7(), fingerprint, cipherKey };
  const key = Object.values({ ...scope, fingerprint }).join(' ');
  return archiveBuilds.join(
    { key, ownerId: scope.ownerId },
    stop => buildArchive(context, draft, source, stop),
    signal,
  );
}

/**
 * Finds the archive of the current content without reading all rows: no submission of the project was added, changed or
 * erased since that archive was made.
 */
async function findUnchanged(
  { archives, exportRows }: ArchiveContext,
  scope: ArchiveScope,
  frame: string,
): Promise<ReadyArchive | undefined> {
  const found = (await archives.readable(scope)).find(each => each.frame === frame);
  if (!found || !(await archives.isUnerased(found))) return undefined;
  const changedAt = await exportRows.lastChange(scope.ownerId, scope.projectId);
  return changedAt?.getTime() === found.changedAt?.getTime() ? found : undefined;
}

/**
 * Returns whether the last change happened before the rows were read. If so, each write after the read has a later
 * time.
 */
const isSettled = (changedAt: Date | undefined, rowsReadAt: Date): boolean =>
  changedAt !== undefined && changedAt < rowsReadAt;

const selectionOf = ({ filter, includeLinks, withoutPeople, referenceNames }: OpenArchiveRequest): string =>
  JSON.stringify([
    ...[filter?.selected ?? null, filter?.transcriptStatus ?? 0, includeLinks],
    ...[withoutPeople === true, referenceNames === true && !withoutPeople],
  ]);

/**
 * Returns a hash that changes with the content of an archive. The hash includes the CSV columns, because a newer
 * version may have more of them.
 */
const fingerprintOf = ({ project, links, changedAt, plan }: ExportSource): string =>
  hashOf([csvHeader(), project, changedAt, plan.state], links);

function hashOf(value: unknown, links: KeptLinks | null): string {
  const hash = createHash('sha256').update(JSON.stringify([value, links !== null]));
  for (const page of links ?? []) hash.update(page);
  return hash.digest('base64url');
}
