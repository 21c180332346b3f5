import { presentProjectSummary, summaryOf } from '@recording-request/contract/present';
import type { ProjectSummaryJson } from '@recording-request/contract/resources/project';
import type { SubmissionCounts } from '@recording-request/proto/submissions/v1/submissions';
import type { Services } from './services.ts';

// Of a page that is counted whole: the figures of each project's links and submissions.
const DEADLINE_MS = 30_000;
const PROJECTS_A_PAGE = 200;
const PROJECTS_A_COUNT = 1_000;

export interface ProjectPage {
  projects: ProjectSummaryJson[];
  isLast: boolean;
}

/** The projects of an owner, newest first. The next page is asked for when this one was taken: at most one is in memory. */
export async function* pagesOfProjects(
  services: Pick<Services, 'projects' | 'submissions'>,
  ownerId: string,
  signal: AbortSignal,
): AsyncGenerator<ProjectPage> {
  const call = { signal, deadlineMs: DEADLINE_MS };
  let cursor: string | undefined;
  do {
    const page = await services.projects.listProjects({ ownerId, pageSize: PROJECTS_A_PAGE, cursor }, call);
    // A projects service of the version before gives all projects at once.
    const summaries = page.projects.length > 0 ? page.projects.map(summaryOf) : page.summaries;
    const ids = summaries.map(project => project.projectId);
    const counts: Record<string, SubmissionCounts> = {};
    for (let at = 0; at < ids.length; at += PROJECTS_A_COUNT) {
      const projectIds = ids.slice(at, at + PROJECTS_A_COUNT);
      Object.assign(counts, (await services.submissions.countSubmissions({ ownerId, projectIds }, call)).counts);
    }
    cursor = page.nextCursor;
    const projects = summaries.map(project => presentProjectSummary(project, counts[project.projectId]));
    yield { projects, isLast: cursor === undefined };
  } while (cursor !== undefined);
}
