import { presentProjectSummary } from '@recording-request/contract/present';
import type { ProjectSummaryJson } from '@recording-request/contract/resources/project';
import type { ListProjectsRequest, ProjectSummary } from '@recording-request/proto/projects/v1/projects';
import { type Page, pagesOf } from './pages.ts';
import type { Services } from './services.ts';

// Enough for a page with all counts: each project has counts of its links and submissions.
const DEADLINE_MS = 30_000;
const PROJECTS_A_PAGE = 200;

export interface ProjectPage {
  projects: ProjectSummaryJson[];
}

/** Returns one page of an owner's projects, newest first. */
export async function pageOfProjects(
  services: Pick<Services, 'projects' | 'submissions'>,
  request: ListProjectsRequest,
  signal: AbortSignal,
): Promise<ProjectPage & { nextCursor: string | null }> {
  const call = { signal, deadlineMs: DEADLINE_MS };
  const { summaries, nextCursor = null } = await services.projects.listProjects(request, call);
  return { projects: await withCounts(services, request.ownerId, summaries, call), nextCursor };
}

/** Yields the projects of an owner, newest first. */
export async function* pagesOfProjects(
  services: Pick<Services, 'projects' | 'submissions'>,
  ownerId: string,
  signal: AbortSignal,
): AsyncGenerator<Page<ProjectPage>> {
  const call = { signal, deadlineMs: DEADLINE_MS };
  const pages = pagesOf(cursor => services.projects.listProjects({ ownerId, pageSize: PROJECTS_A_PAGE, cursor }, call));
  for await (const { summaries, isLast } of pages) {
    yield { projects: await withCounts(services, ownerId, summaries, call), isLast };
  }
}

async function withCounts(
  { submissions }: Pick<Services, 'submissions'>,
  ownerId: string,
  summaries: ProjectSummary[],
  call: { signal: AbortSignal; deadlineMs: number },
): Promise<ProjectSummaryJson[]> {
  if (summaries.length === 0) return [];
  const projectIds = summaries.map(project => project.projectId);
  const { counts } = await submissions.countSubmissions({ ownerId, projectIds }, call);
  return summaries.map(project => presentProjectSummary(project, counts[project.projectId]));
}
