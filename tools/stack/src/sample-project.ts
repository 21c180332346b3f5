import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './secrets.ts';

const LIMIT_MS = 15_000;

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
  const { status } = await call(api, 'GET', '/api/me');
  if (status !== 200 && status !== 401) throw new Error(`GET /api/me answered ${status}.`);
  return status === 200;
}

/**
 * Returns the project that `npm start` shows: that of the last run, or a new one. The API returns the dashboard's address
 * only when it creates a project, so `dataDir` keeps it. Rejects when the API refuses the project.
 */
export async function sampleProject(api: Api, webhookUrl: string, dataDir: string): Promise<SampleProject> {
  const file = join(dataDir, 'sample-project.json');
  const kept = await readJson<SampleProject>(file);
  if (kept && (await call(api, 'GET', `/api/projects/${kept.projectId}`)).status === 200) return at(api.baseUrl, kept);
  const { status, body } = await call(api, 'POST', '/api/projects', {
    projectName: 'Sample project',
    count: 3,
    neverExpire: true,
    sharedLinkEnabled: true,
    transcriptionEnabled: true,
    noteEnabled: true,
    webhookUrl,
    webhookSecret: randomBytes(24).toString('hex'),
  });
  if (status !== 200) throw new Error(`POST /api/projects answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
  const made = body as {
    projectId: string;
    dashboardUrl: string;
    sharedLink: { url: string };
    recipientUrls: { url: string }[];
  };
  const project: SampleProject = {
    projectId: made.projectId,
    dashboardUrl: made.dashboardUrl,
    sharedUrl: made.sharedLink.url,
    uniqueUrls: made.recipientUrls.map(({ url }) => url),
  };
  await writePrivateJson(file, project);
  return project;
}

/** Returns the same URLs with the port of this run. */
function at(baseUrl: string, project: SampleProject): SampleProject {
  const move = (url: string) => new URL(new URL(url).pathname, baseUrl).href;
  const { projectId, dashboardUrl, sharedUrl, uniqueUrls } = project;
  return { projectId, dashboardUrl: move(dashboardUrl), sharedUrl: move(sharedUrl), uniqueUrls: uniqueUrls.map(move) };
}

async function call(
  { baseUrl, apiToken }: Api,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiToken}`, ...(json ? { 'content-type': 'application/json' } : {}) },
    body: json ? JSON.stringify(json) : undefined,
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}
