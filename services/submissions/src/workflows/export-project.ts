import {
  csvHeader,
  csvRow,
  exportDocumentEntry,
  exportDocumentHead,
  exportDocumentTail,
  transcriptsEntry,
  transcriptsHead,
} from '@recording-request/contract/export';
import { presentLinks, presentProjectDetail, presentSubmission } from '@recording-request/contract/present';
import type { ProjectDetailJson, ProjectLinksJson } from '@recording-request/contract/resources/project';
import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit/telemetry/shed';
import type { ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { ListLinksResponse, Project } from '@recording-request/proto/projects/v1/projects';
import { countsOf, filterOf, toMessage } from '../adapters/messages.ts';
import type { Context } from '../context.ts';
import type { IdList } from '../domain/id-list.ts';
import type { Submission } from '../domain/submission.ts';
import type { ExportPart } from '../store/export-rows.ts';
import { type ExportPlan, erasedMeanwhile, planExport } from './export-plan.ts';

export type ExportContext = Pick<Context, 'config' | 'exportRows' | 'exportObjects' | 'projects'>;

const RETRY_AFTER_SECONDS = 10;

/** Counts an export of an owner until the function that it returns is called. Fails with `too_many` beyond the limits. */
export function startExport(exports: Context['exports'], ownerId: string): () => void {
  const end = exports.tryStart(ownerId);
  if (end) return end;
  noteShed('export');
  const sentence = `Too many exports are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  throw new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}

/**
 * A project as it is to be exported. Its clips are fixed; what is shown of each is read when its turn comes. Reading fails
 * where one of them was erased meanwhile.
 */
export interface ExportSource {
  project: ProjectDetailJson;
  links: ProjectLinksJson | null;
  /** When the content changed last. */
  changedAt: Date;
  plan: Pick<ExportPlan, 'missing' | 'state' | 'hasSources' | 'changedAt'>;
  /** Oldest first, with the fields of that part. */
  submissions(part: ExportPart): AsyncIterable<Submission>;
  present(submission: Submission): ReturnType<typeof presentSubmission>;
}

type Asked = Pick<ExportRequest, 'ownerId' | 'projectId' | 'includeLinks' | 'filter'>;

/** What an export shows that the projects service knows. */
export interface ExportFrame {
  project: Project;
  links: ListLinksResponse | undefined;
}

/** Fails with `not_found` where the project is not the owner's. */
export async function loadFrame(
  { ownerId, projectId, includeLinks }: Asked,
  { projects }: Pick<ExportContext, 'projects'>,
): Promise<ExportFrame> {
  const key = { ownerId, projectId };
  const [{ project }, links] = await Promise.all([
    projects.getProject(key),
    includeLinks ? projects.listLinks(key) : undefined,
  ]);
  return { project: project!, links };
}

/** `withVideos` leaves out the clips whose videos cannot be read. */
export async function openExport(
  { ownerId, projectId, filter }: Asked,
  { project, links }: ExportFrame,
  context: ExportContext,
  options: { withVideos: boolean; signal: AbortSignal },
): Promise<ExportSource> {
  const { exportRows } = context;
  const baseUrl = context.config.publicBaseUrl;
  const plan = await planExport(context, { ownerId, projectId }, filterOf(filter), options);
  const { projectName } = project.settings!;
  const read = (ids: string[], part: ExportPart) => exportRows.read(ownerId, projectId, ids, part);
  return {
    project: presentProjectDetail(project, countsOf(plan.counts)),
    links: links ? presentLinks(links, { baseUrl, projectId }) : null,
    changedAt: plan.changedAt ?? project.createdAt!,
    plan,
    submissions: part => walk(plan.clips, ids => read(ids, part)),
    present: submission => presentSubmission(toMessage(submission), { baseUrl, projectName }),
  };
}

const FIRST_PAGE = 20;
const LARGEST_PAGE = 200;
// What a page may hold while its reader is slow.
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 1_024;

/** Pages instead of a cursor, which a slow reader would keep open for hours; the next is as long as the last suggests. */
async function* walk(clips: IdList, read: (ids: string[]) => Promise<Submission[]>): AsyncIterable<Submission> {
  let size = FIRST_PAGE;
  for (let at = 0; at < clips.length; ) {
    const ids = clips.slice(at, size);
    const rows = await read(ids);
    if (rows.length < ids.length) throw erasedMeanwhile();
    yield* rows;
    at += ids.length;
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0);
    size = Math.min(LARGEST_PAGE, Math.max(1, Math.floor((PAGE_BYTES * rows.length) / bytes)));
  }
}

const bytesOf = ({ transcriptText, transcriptVtt, terms }: Submission): number =>
  ROW_BYTES + (transcriptText?.length ?? 0) + (transcriptVtt?.length ?? 0) + (terms?.text?.length ?? 0);

export async function* documentText(source: ExportSource, exportedAt: Date): AsyncIterable<string> {
  const terms: Record<string, string> = {};
  for await (const { terms: accepted } of source.submissions('terms'))
    if (accepted) terms[accepted.sha256] = accepted.text;
  yield exportDocumentHead({ exportedAt, project: source.project, links: source.links, terms });
  let first = true;
  for await (const submission of source.submissions('texts')) {
    yield exportDocumentEntry(source.present(submission), first);
    first = false;
  }
  yield exportDocumentTail();
}

export async function* csvText(source: ExportSource): AsyncIterable<string> {
  yield csvHeader();
  for await (const submission of source.submissions('texts')) yield csvRow(source.present(submission));
}

export async function* transcriptsText(source: ExportSource): AsyncIterable<string> {
  yield transcriptsHead(source.project.projectName);
  for await (const submission of source.submissions('texts')) yield transcriptsEntry(source.present(submission));
}

// Small pieces cost more than their bytes, wherever they go.
const CHUNK_BYTES = 128 * 1024;

/** The same bytes in pieces of at least 128 KiB, but for the last. */
export async function* gathered(pieces: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
    held.push(buffer);
    bytes += buffer.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
