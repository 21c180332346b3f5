import { DEFAULTS, LIMITS } from '@recording-request/contract/limits';
import {
  NO_SUBMISSIONS,
  presentCreationHead,
  presentCreationTail,
  presentOwnProject,
} from '@recording-request/contract/present';
import {
  type CreateProjectInput,
  createProjectBody,
  ProjectParams,
  ProjectsQuery,
  type ProjectsQueryInput,
  type UpdateProjectInput,
  updateProjectBody,
} from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import {
  ProjectCreated,
  ProjectDetail,
  type ProjectDetailJson,
  ProjectList,
  type ProjectListJson,
} from '@recording-request/contract/resources/project';
import { DomainError } from '@recording-request/kit/errors';
import type { Project } from '@recording-request/proto/projects/v1/projects';
import type { SubmissionCounts } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { invitationOf } from '../clients/invitations.ts';
import { pagesOfCreated } from '../clients/link-pages.ts';
import { pageOfProjects, pagesOfProjects } from '../clients/project-list.ts';
import { creationOf, updateOf } from '../clients/project-settings.ts';
import type { Services } from '../clients/services.ts';
import type { Context } from '../context.ts';
import { hashOfJson } from '../domain/json-hash.ts';
import { owner, type ProjectRef } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { ownerOf, projectOf } from '../plugins/caller.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';
import { noteSubjectOf } from '../plugins/request-log.ts';
import { sendUnlessSame } from './answers.ts';
import { presentInOrder } from './created-links.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_RULE, idempotencyHeaders, idempotencyKeyOf } from './idempotency.ts';
import { sendList } from './list-answer.ts';

const DAY_SECONDS = 86_400;
// A request can create ten thousand links.
const CREATE_DEADLINE_MS = 60_000;
// The change is already stored, so the caller does not wait long for this follow-up.
const REFRESH_DEADLINE_MS = 1_000;

const CLOSING = [
  ['close', 'closeProject', true, 'Close a project: its links accept no new responses'],
  ['reopen', 'reopenProject', false, 'Open a closed project again'],
] as const;

/** Returns a project with its counts; both calls run at the same time. */
export async function loadProject(
  services: Services,
  { ownerId, projectId }: ProjectRef,
): Promise<{ project: Project; counts: SubmissionCounts }> {
  const [{ project }, { counts }] = await Promise.all([
    services.projects.getProject({ ownerId, projectId }),
    services.submissions.countSubmissions({ ownerId, projectIds: [projectId] }),
  ]);
  if (!project) throw new Error('the reply has no project');
  return { project, counts: counts[projectId] ?? NO_SUBMISSIONS };
}

export async function projectRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services, config, baseUrl } = context;
  const rule = { allowHttpUrls: config.allowHttpUrls };
  const expiryDays = config.linkExpiryDefaultSeconds / DAY_SECONDS;

  app.get<{ Querystring: ProjectsQueryInput }>(
    '/api/projects',
    {
      ...withoutSchemaSerializer,
      config: { ...owner('projects:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'listProjects',
        tag: 'projects',
        summary: "The owner's projects, newest first",
        description:
          'Without a query, all projects, in one answer without `pagination`. With `limit`, `cursor` or `q`, one page.',
        query: ProjectsQuery,
        json: { 200: ref(ProjectList) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      if (Object.keys(request.query).length > 0)
        return sendUnlessSame(request, reply, await loadPage(services, request));
      return sendList(request, reply, context, {
        name: 'projects',
        before: () => ({}),
        rows: ({ projects }) => projects,
        pages: pagesOfProjects(services, ownerOf(request), request.clientGone),
      });
    },
  );

  app.post<{ Body: CreateProjectInput }>(
    '/api/projects',
    {
      ...withoutSchemaSerializer,
      config: { ...owner('projects:write'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'createProject',
        tag: 'projects',
        summary: 'Create a project and its recording links',
        description: IDEMPOTENCY_RULE,
        headers: idempotencyHeaders('project'),
        body: createProjectBody(rule, Number.isInteger(expiryDays) ? expiryDays : undefined),
        json: { 200: ref(ProjectCreated) },
        also: IDEMPOTENCY_ERRORS,
      }),
    },
    async (request, reply) => {
      const { count, recipients = [] } = request.body;
      if (recipients.length > count)
        throw new DomainError('invalid', `count must be at least the number of recipients, ${recipients.length}.`);
      // Reserves the stream before it creates the project: a client that is refused after the creation could repeat it
      // and create a second project.
      if (count > LIMITS.linkPageSize) context.streams.lists(request, reply);
      const invitations = recipients.map(invitationOf);
      const created = await services.projects.createProject(
        {
          ownerId: ownerOf(request),
          ...creationOf(request.body, config.linkExpiryDefaultSeconds),
          invitations: invitations.length > 0 ? { invitations } : undefined,
          idempotencyKey: idempotencyKeyOf(request),
          bodyHash: hashOfJson(request.body),
        },
        { deadlineMs: CREATE_DEADLINE_MS },
      );
      noteSubjectOf(request, { projectId: created.project?.projectId });
      if (created.replayed) reply.header('idempotent-replayed', 'true');
      return sendList(request, reply, context, {
        name: 'recipientUrls',
        before: () => presentCreationHead(created, baseUrl),
        rows: presentInOrder(invitations, { baseUrl, expiresAt: created.project?.expiresAt }),
        after: () => presentCreationTail(created),
        pages: pagesOfCreated(services, created.project!, request.clientGone, {
          first: created.uniqueLinks,
          cursor: created.linksCursor,
          count,
        }),
        isAdmitted: true,
      });
    },
  );

  app.get(
    '/api/projects/:projectId',
    {
      config: owner('projects:read'),
      schema: operation({
        id: 'getProject',
        tag: 'projects',
        summary: 'One project with its settings',
        params: ProjectParams,
        json: { 200: ref(ProjectDetail) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const { project, counts } = await loadProject(services, projectOf(request));
      return sendUnlessSame(request, reply, presentOwnProject(project, baseUrl, counts));
    },
  );

  app.patch<{ Body: UpdateProjectInput }>(
    '/api/projects/:projectId',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'updateProject',
        tag: 'projects',
        summary: 'Change settings for responses that begin afterwards',
        params: ProjectParams,
        body: updateProjectBody(rule),
        json: { 200: ref(ProjectDetail) },
      }),
    },
    async request => {
      const { ownerId, projectId } = projectOf(request);
      const change = updateOf(request.body, config.linkExpiryDefaultSeconds);
      const { project } = await services.projects.updateProject({ ownerId, projectId, ...change });
      context.recentProjects.changed({ ownerId, projectId });
      if (request.body.webhookUrl !== undefined) await refreshEndpoint(services, projectId, request.log);
      return await shownAfterChange(context, project);
    },
  );

  for (const [name, id, closed, summary] of CLOSING) {
    app.post(
      `/api/projects/:projectId/${name}`,
      {
        config: owner('projects:write'),
        schema: operation({ id, tag: 'extensions', summary, params: ProjectParams, json: { 200: ref(ProjectDetail) } }),
      },
      async request => {
        const { project } = await services.projects.setProjectClosed({ ...projectOf(request), closed });
        return await shownAfterChange(context, project);
      },
    );
  }
}

async function loadPage(
  services: Services,
  request: FastifyRequest<{ Querystring: ProjectsQueryInput }>,
): Promise<ProjectListJson> {
  const { limit: pageSize = DEFAULTS.linkPageSize, cursor, q: search } = request.query;
  const page = { ownerId: ownerOf(request), pageSize, cursor, search };
  const { projects, nextCursor } = await pageOfProjects(services, page, request.clientGone);
  return { projects, pagination: { nextCursor } };
}

/** Returns the answer of a route that changed a project. */
export async function shownAfterChange(
  { services, baseUrl }: Context,
  project: Project | undefined,
): Promise<ProjectDetailJson> {
  if (!project) throw new Error('the reply has no project');
  const { ownerId, projectId } = project;
  const { counts } = await services.submissions.countSubmissions({ ownerId, projectIds: [projectId] });
  return presentOwnProject(project, baseUrl, counts[projectId]);
}

/**
 * Asks the webhooks service to send the deliveries that wait for the address. If this call fails, the webhooks service
 * finds the address a little later.
 */
async function refreshEndpoint({ webhooks }: Services, projectId: string, log: FastifyBaseLogger): Promise<void> {
  await webhooks
    .refreshEndpoint({ projectId }, { deadlineMs: REFRESH_DEADLINE_MS })
    .catch(err => log.debug({ err, project: projectId }, 'The webhooks service finds a new address at its next check'));
}
