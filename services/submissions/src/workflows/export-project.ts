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
import { ExportFormat, type ExportRequest } from '@recording-request/proto/exports/v1/exports';
import { countsOf, filterOf, toMessage } from '../adapters/messages.ts';
import type { Context } from '../context.ts';
import type { IdList } from '../domain/id-list.ts';
import type { Submission } from '../domain/submission.ts';
import type { ExportPart, Unreadable } from '../store/export-rows.ts';
import { erasedMeanwhile, planExport } from './export-plan.ts';

export type ExportContext = Pick<Context, 'config' | 'exportRows' | 'exportObjects' | 'projects'>;

/**
 * A project as it is to be exported. Its clips are fixed; what is shown of each is read when its turn comes. Reading fails
 * where one of them was erased meanwhile.
 */
export interface ExportSource {
  project: ProjectDetailJson;
  links: ProjectLinksJson | null;
  /** When the content changed last. */
  changedAt: Date;
  /** Oldest first, with the fields of that part. */
  submissions(part: ExportPart): AsyncIterable<Submission>;
  /** The ids of clips that are left out, as their videos cannot be read. */
  missing: string[];
  /** One of them as it is now; undefined where it was erased. */
  findVideo(submissionId: string): Promise<Submission | undefined>;
  noteUnreadable(submissionId: string, where: Unreadable): Promise<void>;
  /** Fails where one of them was erased since the start. */
  confirm(): Promise<void>;
  present(submission: Submission): ReturnType<typeof presentSubmission>;
}

/** Fails with `not_found` where the project is not the owner's. */
export async function openExport(
  request: ExportRequest,
  context: ExportContext,
  signal: AbortSignal,
): Promise<ExportSource> {
  const { ownerId, projectId } = request;
  const { exportRows, projects } = context;
  const baseUrl = context.config.publicBaseUrl;
  const key = { ownerId, projectId };
  const withVideos = request.format === ExportFormat.EXPORT_FORMAT_ZIP;
  const [{ project }, links, plan] = await Promise.all([
    projects.getProject(key),
    request.includeLinks ? projects.listLinks(key) : undefined,
    planExport(context, key, filterOf(request.filter), { withVideos, signal }),
  ]);
  const projectName = project!.settings!.projectName;
  const read = (ids: string[], part: ExportPart) => exportRows.read(ownerId, projectId, ids, part);
  return {
    project: presentProjectDetail(project!, countsOf(plan.counts)),
    links: links ? presentLinks(links, { baseUrl, projectId }) : null,
    changedAt: plan.changedAt ?? project!.createdAt!,
    submissions: part => walk(plan.clips, ids => read(ids, part)),
    missing: plan.missing,
    findVideo: async submissionId => (await read([submissionId], 'video'))[0],
    noteUnreadable: (submissionId, where) => exportRows.noteUnreadable(projectId, submissionId, where),
    confirm: () => confirm(plan.clips, ids => exportRows.count(ownerId, projectId, ids)),
    present: submission => presentSubmission(toMessage(submission), { baseUrl, projectName }),
  };
}

const FIRST_PAGE = 20;
const LARGEST_PAGE = 200;
// What a page may hold while its reader is slow.
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 1_024;
const CONFIRMED_AT_ONCE = 1_000;

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

async function confirm(clips: IdList, count: (ids: string[]) => Promise<number>): Promise<void> {
  for (let at = 0; at < clips.length; at += CONFIRMED_AT_ONCE) {
    const ids = clips.slice(at, CONFIRMED_AT_ONCE);
    if ((await count(ids)) < ids.length) throw erasedMeanwhile();
  }
}

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
