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
import type { ExportRequest } from '@recording-request/proto/exports/v1/exports';
import { countsOf, filterOf, toMessage } from '../adapters/messages.ts';
import type { Context } from '../context.ts';
import type { Submission } from '../domain/submission.ts';

export type ExportContext = Pick<Context, 'config' | 'submissions' | 'exportObjects' | 'projects'>;

/** A project as it is to be exported; the submissions are read again, oldest first, each time they are walked. */
export interface ExportSource {
  project: ProjectDetailJson;
  links: ProjectLinksJson | null;
  /** When the content changed last. */
  changedAt: Date;
  submissions(): AsyncIterable<Submission>;
  /** One of them as it is now. */
  find(submissionId: string): Promise<Submission | undefined>;
  present(submission: Submission): ReturnType<typeof presentSubmission>;
}

/** Fails with `not_found` where the project is not the owner's. */
export async function openExport(request: ExportRequest, context: ExportContext): Promise<ExportSource> {
  const { ownerId, projectId } = request;
  const { submissions, projects } = context;
  const baseUrl = context.config.publicBaseUrl;
  const key = { ownerId, projectId };
  const [{ project }, links, counts, lastChange] = await Promise.all([
    projects.getProject(key),
    request.includeLinks ? projects.listLinks(key) : undefined,
    submissions.count(ownerId, [projectId]),
    submissions.lastChange(ownerId, projectId),
  ]);
  const projectName = project!.settings!.projectName;
  return {
    project: presentProjectDetail(project!, countsOf(counts.get(projectId)!)),
    links: links ? presentLinks(links, { baseUrl, projectId }) : null,
    changedAt: lastChange ?? project!.createdAt!,
    submissions: () => submissions.all(ownerId, projectId, filterOf(request.filter)),
    find: submissionId => submissions.find(ownerId, projectId, submissionId),
    present: submission => presentSubmission(toMessage(submission), { baseUrl, projectName }),
  };
}

export async function* documentText(source: ExportSource, exportedAt: Date): AsyncIterable<string> {
  const terms: Record<string, string> = {};
  for await (const { terms: accepted } of source.submissions()) if (accepted) terms[accepted.sha256] = accepted.text;
  yield exportDocumentHead({ exportedAt, project: source.project, links: source.links, terms });
  let first = true;
  for await (const submission of source.submissions()) {
    yield exportDocumentEntry(source.present(submission), first);
    first = false;
  }
  yield exportDocumentTail();
}

export async function* csvText(source: ExportSource): AsyncIterable<string> {
  yield csvHeader();
  for await (const submission of source.submissions()) yield csvRow(source.present(submission));
}

export async function* transcriptsText(source: ExportSource): AsyncIterable<string> {
  yield transcriptsHead(source.project.projectName);
  for await (const submission of source.submissions()) yield transcriptsEntry(source.present(submission));
}
