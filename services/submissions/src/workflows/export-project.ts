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
import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { Objects } from '@recording-request/kit/objects';
import type { ExportRequest } from '@recording-request/proto/exports/v1/exports';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import { type Submission, toMessage } from '../domain/submission.ts';
import { countsOf } from '../rpc/count-submissions.ts';
import { filterOf } from '../rpc/list-submissions.ts';
import type { SubmissionStore } from '../store/submissions.ts';

export interface ExportOptions {
  submissions: SubmissionStore;
  objects: Objects;
  projects: ClientOf<ProjectsServiceServer>;
  baseUrl: string;
}

/** A project as it is to be exported; the submissions are read anew, oldest first, each time they are walked. */
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

/** NOT_FOUND where the project is not the owner's. */
export async function openExport(request: ExportRequest, options: ExportOptions): Promise<ExportSource> {
  const { ownerId, projectId } = request;
  const { submissions, projects, baseUrl } = options;
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
