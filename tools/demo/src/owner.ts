import type {
  ProjectCreatedJson,
  ProjectDetailJson,
  ProjectLinksJson,
} from '@recording-request/contract/resources/project';
import type { SubmissionJson, SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { type Answer, ok, send } from '@recording-request/harness/http-client';

export interface Owner {
  /** GETs a path, or a URL that the API returned, with the owner's token. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  createProject(settings: Record<string, unknown>): Promise<ProjectCreatedJson>;
  project(projectId: string): Promise<ProjectDetailJson>;
  links(projectId: string): Promise<ProjectLinksJson>;
  /** Returns every submission, read in pages of two, newest first. */
  submissions(projectId: string): Promise<SubmissionJson[]>;
}

const MAX_PAGES = 100;

/** The owner's side of the API. Each call rejects when the status is not 200. */
export function createOwner(api: { baseUrl: string; apiToken: string; signal: AbortSignal }): Owner {
  const { baseUrl, apiToken: token, signal } = api;
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(new URL(path, baseUrl), { token, headers, signal });
  return {
    get,
    createProject: async settings =>
      ok(await send(`${baseUrl}/api/projects`, { method: 'POST', token, json: settings, signal })),
    project: async projectId => ok(await get(`/api/projects/${projectId}`)),
    links: async projectId => ok(await get(`/api/projects/${projectId}/links`)),
    async submissions(projectId) {
      const found: SubmissionJson[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query: string = `limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
        const answer: SubmissionsPageJson = ok(await get(`/api/projects/${projectId}/submissions?${query}`));
        found.push(...answer.submissions);
        cursor = answer.pagination.nextCursor;
        if (cursor === null) return found;
      }
      throw new Error(`expected the pages of submissions to end, got more than ${MAX_PAGES} pages`);
    },
  };
}
