import { presentProjectSummary } from '@recording-request/contract/present';
import type { ProjectSummaryJson } from '@recording-request/contract/resources/project';
import { type Page, pagesOf } from './pages.ts';
import type { Services } from './services.ts';

// Enough for a page with all counts: each project has counts of its links and submissions.
const DEADLINE_MS = 30_000;
const PROJECTS_A_PAGE = 200;

export interface ProjectPage {
  projects: ProjectSummaryJson[];
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
    const projectIds = summaries.map(project => project.projectId);
    const { counts } = await services.submissions.countSubmissions({ ownerId, projectIds }, call);
    yield { projects: summaries.map(project => presentProjectSummary(project, counts[project.projectId])), isLast };
  }
}
