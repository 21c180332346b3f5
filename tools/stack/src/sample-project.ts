import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ok, send } from '@recording-request/harness/http-client';
import { readJson, writePrivateJson } from './secrets.ts';

export interface SampleProject {
  projectId: string;
  dashboardUrl: string;
  sharedUrl: string;
  uniqueUrls: string[];
}

export interface Api {
  baseUrl: string;
  apiToken: string;
}

/** Returns whether the API accepts this token. Rejects on a status other than 200 and 401. */
export async function isTokenGood(api: Api): Promise<boolean> {
  const { status } = await call(api, '/api/me');
  if (status !== 200 && status !== 401) throw new Error(`GET /api/me answered ${status}.`);
  return status === 200;
}

/**
 * Returns the project that `npm start` shows: the project of the previous run, or a new project. The API returns the
 * dashboard's address only when it creates a project, so `dataDir` keeps the address. Rejects when the API refuses the
 * project.
 */
export async function sampleProject(api: Api, webhookUrl: string, dataDir: string): Promise<SampleProject> {
  const file = join(dataDir, 'sample-project.json');
  const kept = await readJson<SampleProject>(file);
  if (kept && (await call(api, `/api/projects/${kept.projectId}`)).status === 200) return at(api.baseUrl, kept);
  const answer = await call(api, '/api/projects', {
    projectName: 'Sample project',
    count: 3,
    neverExpire: true,
    sharedLinkEnabled: true,
    transcriptionEnabled: true,
    noteEnabled: true,
    webhookUrl,
    webhookSecret: randomBytes(24).toString('hex'),
  });
  const made: {
    projectId: string;
    dashboardUrl: string;
    sharedLink: { url: string };
    recipientUrls: { url: string }[];
  } = ok(answer);
  const project: SampleProject = {
    projectId: made.projectId,
    dashboardUrl: made.dashboardUrl,
    sharedUrl: made.sharedLink.url,
    uniqueUrls: made.recipientUrls.map(({ url }) => url),
  };
  await writePrivateJson(file, project);
  return project;
}

/** Returns the project with the port of this run in its URLs. */
function at(baseUrl: string, project: SampleProject): SampleProject {
  const move = (url: string) => new URL(new URL(url).pathname, baseUrl).href;
  const { projectId, dashboardUrl, sharedUrl, uniqueUrls } = project;
  return { projectId, dashboardUrl: move(dashboardUrl), sharedUrl: move(sharedUrl), uniqueUrls: uniqueUrls.map(move) };
}

const call = ({ baseUrl, apiToken: token }: Api, path: string, json?: unknown) =>
  send(`${baseUrl}${path}`, { method: json ? 'POST' : 'GET', token, json });
