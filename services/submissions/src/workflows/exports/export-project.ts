import {
  csvHeader,
  csvRow,
  exportDocumentEntry,
  exportDocumentHead,
  exportDocumentLinks,
  exportDocumentTail,
  exportDocumentTerms,
  type LinkPages,
  transcriptsEntry,
  transcriptsHead,
} from '@recording-request/contract/export';
import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import { presentLinks, presentProjectDetail, presentSubmission } from '@recording-request/contract/present';
import type { ProjectDetailJson, ProjectLinksJson } from '@recording-request/contract/resources/project';
import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { ListLinksResponse, Project } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { IdList } from '../../domain/exports/id-list.ts';
import { countsOf, filterOf, toMessage } from '../../messages.ts';
import type { ExportPart, IdRange } from '../../store/export-rows.ts';
import { type ExportedClip, type Inviting, inviting, shownLinks } from './export-people.ts';
import { type ExportPlan, erasedMeanwhile, planExport } from './export-plan.ts';

export type ExportContext = Pick<Context, 'config' | 'exportRows' | 'exportObjects' | 'projects' | 'submissions'>;

const RETRY_AFTER_SECONDS = 10;

/**
 * Takes an export slot of an owner until the result is disposed. Fails with `too_many` when the owner has no free slot.
 */
export function startExport(exports: Context['exports'], ownerId: string): Disposable {
  const slot = exports.tryTake([ownerId]);
  if (slot) return slot;
  noteShed('export');
  const sentence = `Too many exports are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  throw new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}

/** The source of the texts of an export. Reading its submissions fails if one of them was erased during the export. */
export interface TextSource {
  projectName: string;
  createdAt: Date;
  /**
   * Returns the part of a document that precedes the submissions; `links` is null when the caller must not read the
   * links.
   */
  head(): Promise<{ project: ProjectDetailJson; links: LinkPages | null; terms: Record<string, string> }>;
  /** Yields the submissions, oldest first. Reads each submission only when it is needed. */
  submissions(): AsyncIterable<ExportedClip>;
  present(submission: ExportedClip): ReturnType<typeof presentSubmission>;
}

/** The source of an archive. Its set of clips does not change. */
export interface ExportSource extends TextSource {
  project: ProjectDetailJson;
  links: KeptLinks | null;
  /** When the content last changed. */
  changedAt: Date;
  plan: Pick<ExportPlan, 'missing' | 'state' | 'hasSources' | 'changedAt'>;
  /** Yields the same submissions, but loads only their videos, and the invitations if the names of files need them. */
  videos(): AsyncIterable<ExportedClip>;
}

export type ExportSelection = Pick<
  ExportRequest,
  'ownerId' | 'projectId' | 'includeLinks' | 'filter' | 'withoutPeople'
> & {
  /** True if the names of video files begin with the reference of the person. */
  referenceNames?: boolean | undefined;
};

/**
 * The links of a project as pages of JSON, stored in buffers outside the heap, because ten thousand links take 4 MB.
 */
export type KeptLinks = Buffer[];

/** The part of an archive's content that comes from the projects service. */
export interface ArchiveFrame {
  project: Project;
  links: KeptLinks | null;
}

/** Loads the frame of an export. Fails with `not_found` when the project is not the owner's. */
export async function loadFrame(selection: ExportSelection, context: ExportContext): Promise<ArchiveFrame> {
  const { ownerId, projectId, includeLinks } = selection;
  const { project } = await context.projects.getProject({ ownerId, projectId });
  return { project: project!, links: includeLinks ? await keepLinks(selection, context) : null };
}

async function keepLinks(selection: ExportSelection, context: ExportContext): Promise<KeptLinks> {
  const { ownerId, projectId } = selection;
  const first = await context.projects.listLinks({ ownerId, projectId, pageSize: LIMITS.linkPageSize });
  const kept: KeptLinks = [];
  for await (const page of linkPages(selection, first, context, LIMITS.linkPageSize))
    kept.push(Buffer.from(JSON.stringify(page)));
  return kept;
}

async function* pagesOf(links: KeptLinks): AsyncIterable<ProjectLinksJson> {
  for (const page of links) yield JSON.parse(page.toString()) as ProjectLinksJson;
}

/** Opens the source of an archive. Omits clips whose videos are unreadable. */
export async function openArchived(
  selection: ExportSelection,
  frame: ArchiveFrame,
  context: ExportContext,
  signal: AbortSignal,
): Promise<ExportSource> {
  const { ownerId, projectId, filter } = selection;
  const plan = await planExport(context, { ownerId, projectId }, filterOf(filter), signal);
  const read = (part: ExportPart, withPeople = false) => {
    const invited = withPeople ? inviting(selection, frame.project, context, signal) : undefined;
    return walk(plan.clips, ids => context.exportRows.read(ownerId, projectId, ids, part), invited);
  };
  const { links } = frame;
  const project = presentProjectDetail(frame.project, context.config.publicBaseUrl, countsOf(plan.counts));
  return {
    ...shownOf(frame.project, context),
    project,
    links,
    changedAt: plan.changedAt ?? frame.project.createdAt!,
    plan,
    async head() {
      const terms: Record<string, string> = {};
      for await (const { terms: accepted } of read('terms')) if (accepted) terms[accepted.sha256] = accepted.text;
      return { project, links: links && pagesOf(links), terms };
    },
    submissions: () => read('texts', true),
    videos: () => read('video', selection.referenceNames === true && !selection.withoutPeople),
  };
}

/**
 * Opens an export of texts; the cost does not depend on the number of clips and links. Reads the first clips before it
 * resolves, and the first links together with the head, so that errors occur before anything is sent. Fails with
 * `not_found` when the project is not the owner's. `withPeople` is false for an export that shows no invitations.
 */
export async function openTexts(
  selection: ExportSelection,
  context: ExportContext,
  signal: AbortSignal,
  withPeople = true,
): Promise<TextSource> {
  const { ownerId, projectId, includeLinks } = selection;
  const { exportRows, projects, submissions } = context;
  const project = (await projects.getProject({ ownerId, projectId })).project!;
  const filter = filterOf(selection.filter);
  const idsIn = async (range: IdRange) => {
    const clips = new IdList();
    for await (const id of exportRows.ids(ownerId, projectId, filter, range)) {
      signal.throwIfAborted();
      clips.add(id);
    }
    return clips;
  };
  const invited = withPeople ? inviting(selection, project, context, signal) : undefined;
  const readPages = (clips: IdList) => walk(clips, ids => exportRows.read(ownerId, projectId, ids, 'texts'), invited);
  const [upTo, firstClips] = await Promise.all([
    exportRows.lastId(ownerId, projectId, filter),
    idsIn({ limit: FIRST_PAGE }),
  ]);
  const first = await Array.fromAsync(readPages(firstClips));
  return {
    ...shownOf(project, context),
    async head() {
      const [counts, terms, firstLinks] = await Promise.all([
        submissions.count(ownerId, [projectId]),
        exportRows.terms(ownerId, projectId),
        includeLinks ? projects.listLinks({ ownerId, projectId, pageSize: FIRST_PAGE }) : null,
      ]);
      const links = firstLinks && linkPages(selection, firstLinks, context);
      const shown = presentProjectDetail(project, context.config.publicBaseUrl, countsOf(counts.get(projectId)!));
      return { project: shown, links, terms };
    },
    async *submissions() {
      yield* first.splice(0);
      // `upTo` is the last clip at the start of the export, so clips that land later are not included.
      const [after] = firstClips.slice(FIRST_PAGE - 1, 1);
      if (after) yield* readPages(await idsIn({ after, upTo }));
    },
  };
}

/** Pages are small, so that at most one unused page is made when a caller disconnects after the first bytes. */
async function* linkPages(
  selection: ExportSelection,
  first: ListLinksResponse,
  context: ExportContext,
  pageSize: number = DEFAULTS.linkPageSize,
): AsyncIterable<ProjectLinksJson> {
  const { ownerId, projectId } = selection;
  yield linksOf(selection, first, context);
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await context.projects.listLinks({ ownerId, projectId, pageSize, cursor });
    yield linksOf(selection, page, context);
    cursor = page.nextCursor;
  }
}

const shownOf = (
  { settings, createdAt }: Project,
  { config }: ExportContext,
): Pick<TextSource, 'projectName' | 'createdAt' | 'present'> => {
  const { projectName } = settings!;
  const presentation = { baseUrl: config.publicBaseUrl, projectName };
  return {
    projectName,
    createdAt: createdAt!,
    present: submission =>
      presentSubmission(toMessage(submission), { ...presentation, invitation: submission.invitation }),
  };
};

const linksOf = (selection: ExportSelection, links: ListLinksResponse, { config }: ExportContext): ProjectLinksJson =>
  presentLinks(shownLinks(selection, links), { baseUrl: config.publicBaseUrl, projectId: selection.projectId });

const FIRST_PAGE = 20;
// Small, because the size of the next rows is a guess: even if a page is twenty times larger than expected, it takes
// only a few MB.
const LARGEST_PAGE = 50;
// The memory that a page may use while its reader is slow.
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 1_024;

/**
 * Reads by pages, because a slow reader would keep a cursor open for hours. The size of each page determines the number
 * of rows in the next page.
 */
async function* walk(
  clips: IdList,
  read: (ids: string[]) => Promise<Submission[]>,
  invited?: Inviting,
): AsyncIterable<ExportedClip> {
  let size = FIRST_PAGE;
  for (let at = 0; at < clips.length; ) {
    const ids = clips.slice(at, size);
    const rows = await read(ids);
    if (rows.length < ids.length) throw erasedMeanwhile();
    yield* invited ? await invited(rows) : rows;
    at += ids.length;
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    size = Math.min(LARGEST_PAGE, Math.max(1, Math.floor((PAGE_BYTES * rows.length) / bytes)));
  }
}

const bytesOf = ({ transcriptText, transcriptVtt, note, reviewNote, terms }: Submission): number =>
  [transcriptText, transcriptVtt, note, reviewNote, terms?.text].reduce(
    (bytes, text) => bytes + (text?.length ?? 0),
    ROW_BYTES,
  );

export async function* documentText(source: TextSource, exportedAt: Date): AsyncIterable<string> {
  const { project, links, terms } = await source.head();
  yield exportDocumentHead({ exportedAt, project });
  yield* exportDocumentLinks(links);
  yield exportDocumentTerms(terms);
  let first = true;
  for await (const submission of source.submissions()) {
    yield exportDocumentEntry(source.present(submission), first);
    first = false;
  }
  yield exportDocumentTail();
}

export async function* csvText(source: TextSource): AsyncIterable<string> {
  yield csvHeader();
  for await (const submission of source.submissions()) yield csvRow(source.present(submission));
}

export async function* transcriptsText(source: TextSource): AsyncIterable<string> {
  yield transcriptsHead(source.projectName);
  for await (const submission of source.submissions()) yield transcriptsEntry(source.present(submission));
}

// Large, because every step has a cost per piece.
const CHUNK_BYTES = 128 * 1024;

/**
 * Yields the same bytes in pieces of at least 128 KiB. Two pieces may be smaller: the first, which is sent at once, and
 * the last.
 */
export async function* gathered(pieces: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  let least = 0;
  for await (const piece of pieces) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
    held.push(buffer);
    bytes += buffer.length;
    if (bytes < least) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
    least = CHUNK_BYTES;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
