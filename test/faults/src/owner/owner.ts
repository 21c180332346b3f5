import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import type {
  ProjectCreatedJson,
  ProjectDetailJson,
  ProjectLinksJson,
  ProjectListJson,
} from '@recording-request/contract/resources/project';
import type { SubmissionJson, SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import type { Answer, Ask, GatewayClient } from '../harness/gateway-client.ts';

/** A project of the run with the URLs of its links. */
export interface Project {
  projectId: string;
  /** Empty without a shared link. */
  sharedUrl: string;
  uniqueUrls: string[];
  webhookSecret: string;
  /** The dashboard's token. */
  projectToken: string;
  transcription: boolean;
  questions: number;
}

/** The owner of a run's projects. Uses HTTP and retries failed requests. */
export interface Owner {
  readonly projects: Project[];
  create(settings?: Record<string, unknown>): Promise<Project>;
  /** Creates a project for the owner of `apiToken`. For this project, the methods below use that token. */
  createFor(apiToken: string, settings?: Record<string, unknown>): Promise<Project>;
  /**
   * Returns the possible webhook secrets of a project. The first webhook can arrive before the response that names the
   * project, so the secrets of all projects in creation are possible for an unknown one.
   */
  secretsOf(projectId: string): string[];
  /** Sends one request with the token of the project's owner, without retries. */
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** Renames a project. */
  rename(projectId: string, projectName: string): Promise<void>;
  /** Changes a link, for example `{ disabled: true }`. */
  changeLink(projectId: string, tokenId: string, change: Record<string, unknown>): Promise<void>;
  /** Closes a project. */
  close(projectId: string): Promise<void>;
  list(): Promise<ProjectListJson>;
  detail(projectId: string): Promise<ProjectDetailJson>;
  links(projectId: string): Promise<ProjectLinksJson>;
  /** Returns the link of the person with this reference. */
  linkOf(projectId: string, reference: string): Promise<RecipientLinkJson>;
  /** Returns all submissions of a project, read page by page. */
  submissions(projectId: string): Promise<SubmissionJson[]>;
}

const TRIES = 60;

export function createOwner(gateway: GatewayClient, apiToken: string, webhookUrl: string): Owner {
  const projects: Project[] = [];
  const others = new Map<string, string>();
  const inCreation = new Set<string>();
  const tokenFor = (path: string) => others.get(/^\/api\/projects\/([^/?]+)/.exec(path)?.[1] ?? '') ?? apiToken;
  const ask = (path: string, { headers, ...rest }: Ask = {}) =>
    gateway.ask(path, { ...rest, headers: { authorization: `Bearer ${tokenFor(path)}`, ...headers } });
  const insist = async (path: string, request: Ask = {}): Promise<Answer> => {
    let last: unknown;
    for (let tries = 0; tries < TRIES; tries++) {
      let waitMs = Math.min(2_000, 100 * 2 ** tries);
      try {
        const answer = await ask(path, request);
        if (answer.status < 400) return answer;
        last = new Error(`${answer.what}: ${answer.bytes.toString().slice(0, 300)}`);
        // 409 means that the first request with this Idempotency-Key still runs or has died. Retry-After contains the
        // time until a retry.
        const isRunning = answer.status === 409 && answer.headers['retry-after'] !== undefined;
        if (isRunning) waitMs = Number(answer.headers['retry-after']) * 1_000;
        else if (answer.status < 500) break;
      } catch (error) {
        last = error;
      }
      await delay(waitMs);
    }
    throw last;
  };
  const read = async (path: string) => (await insist(path)).json();
  const owner: Owner = {
    projects,
    ask,
    create: settings => owner.createFor(apiToken, settings),
    async createFor(token, settings = {}) {
      const webhookSecret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
      const json = {
        ...{ projectName: `Faults ${projects.length + 1}`, count: 1, neverExpire: true, webhookUrl, webhookSecret },
        ...{ sharedLinkEnabled: true, sharedLinkMaxUses: 1_000 },
        ...settings,
      };
      // The idempotency key prevents a second project when the request is retried after a lost response.
      const headers = { 'idempotency-key': randomUUID(), authorization: `Bearer ${token}` };
      inCreation.add(webhookSecret);
      const made: ProjectCreatedJson = (await insist('/api/projects', { method: 'POST', json, headers })).json();
      const project = {
        projectId: made.projectId,
        sharedUrl: made.sharedLink?.recipientUrl ?? '',
        uniqueUrls: made.recipientUrls.map(({ recipientUrl }) => recipientUrl),
        webhookSecret,
        projectToken: made.projectToken,
        transcription: made.transcriptionEnabled,
        questions: made.questionCount,
      };
      if (token !== apiToken) others.set(project.projectId, token);
      projects.push(project);
      inCreation.delete(webhookSecret);
      return project;
    },
    secretsOf(projectId) {
      const known = projects.find(project => project.projectId === projectId);
      return known ? [known.webhookSecret] : [...inCreation];
    },
    async rename(projectId, projectName) {
      await insist(`/api/projects/${projectId}`, { method: 'PATCH', json: { projectName } });
    },
    async changeLink(projectId, tokenId, json) {
      await insist(`/api/projects/${projectId}/links/${tokenId}`, { method: 'PATCH', json });
    },
    async close(projectId) {
      await insist(`/api/projects/${projectId}/close`, { method: 'POST' });
    },
    list: () => read('/api/projects'),
    detail: projectId => read(`/api/projects/${projectId}`),
    links: projectId => read(`/api/projects/${projectId}/links`),
    async linkOf(projectId, reference) {
      const { recipientUrls }: ProjectLinksJson = await read(`/api/projects/${projectId}/links?reference=${reference}`);
      return recipientUrls[0]!;
    },
    async submissions(projectId) {
      const all: SubmissionJson[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
        const page: SubmissionsPageJson = await read(`/api/projects/${projectId}/submissions?limit=100${query}`);
        all.push(...page.submissions);
        cursor = page.pagination.nextCursor;
      } while (cursor);
      return all;
    },
  };
  return owner;
}
