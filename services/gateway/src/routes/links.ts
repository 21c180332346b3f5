import { dashboardUrl, recipientUrl } from '@recording-request/contract/addresses';
import { downloadName } from '@recording-request/contract/download-name';
import { DEFAULTS } from '@recording-request/contract/limits';
import {
  type LinksInput,
  LinksQuery,
  UpdateLinkBody,
  type UpdateLinkInput,
} from '@recording-request/contract/link-requests';
import { presentOwnLink, presentOwnSharedLink } from '@recording-request/contract/present';
import { LinkParams, ProjectParams } from '@recording-request/contract/requests';
import { DashboardToken, type DashboardTokenJson } from '@recording-request/contract/resources/dashboard';
import { ref } from '@recording-request/contract/resources/fields';
import { RecipientLink, SharedRecipientLink } from '@recording-request/contract/resources/link';
import { ProjectLinks } from '@recording-request/contract/resources/project';
import { LinkType, type ListLinksResponse } from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { qrCode } from '../adapters/qr-code.ts';
import { changesInvitation, linkChangeOf } from '../clients/invitations.ts';
import { linkFilterOf, pagesOfLinks } from '../clients/link-pages.ts';
import { onePage } from '../clients/pages.ts';
import type { Context } from '../context.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';
import { sendList } from './list-answer.ts';
import { knownName } from './submissions.ts';

/** Sends the QR code of the shared link, for the owner and for the dashboard. 404 without a shared link. */
export async function sendQrCode(request: FastifyRequest, reply: FastifyReply, context: Context) {
  const { services, baseUrl } = context;
  const project = projectOf(request);
  const [{ link }, projectName] = await Promise.all([
    services.projects.getSharedLink(project),
    knownName(context, project),
  ]);
  if (!link) throw new Error('the reply has no shared link');
  const { png, etag } = await qrCode(recipientUrl(baseUrl, link.token));
  reply.header('etag', etag);
  // The address of a dashboard has a token, so clients must not store the answers.
  if (request.owner) reply.header('cache-control', 'private, no-cache');
  if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply
    .type('image/png')
    .header('content-disposition', contentDisposition('inline', downloadName([projectName], 'recording link.png')))
    .send(png);
}

export async function linkRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services, baseUrl } = context;

  app.get<{ Querystring: LinksInput }>(
    '/api/projects/:projectId/links',
    {
      ...withoutSchemaSerializer,
      config: { ...owner('links:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'listLinks',
        tag: 'links',
        summary: 'The recording links of a project',
        description:
          'Without a parameter, all links. With any parameter, a page of the single-recipient links that match, and `pagination`. Every page has the shared link.',
        params: ProjectParams,
        query: LinksQuery,
        json: { 200: ref(ProjectLinks) },
        conditional: true,
      }),
    },
    (request, reply) => {
      const project = projectOf(request);
      const { projectId } = project;
      const { limit: pageSize = DEFAULTS.linkPageSize, cursor, ...filter } = request.query;
      const isPage = Object.keys(request.query).length > 0;
      return sendList<ListLinksResponse>(request, reply, context, {
        name: 'recipientUrls',
        before: ({ sharedLink }) => ({
          projectId,
          sharedLink: sharedLink ? presentOwnSharedLink(sharedLink, { baseUrl, projectId }) : null,
        }),
        rows: ({ uniqueLinks }) => uniqueLinks.map(link => presentOwnLink(link, baseUrl)),
        ...(isPage && { after: ({ nextCursor = null }) => ({ pagination: { nextCursor } }) }),
        pages: isPage
          ? onePage(services.projects.listLinks({ ...project, pageSize, cursor, ...linkFilterOf(filter) }))
          : pagesOfLinks(services, project, request.clientGone),
      });
    },
  );

  app.get(
    '/api/projects/:projectId/shared-link/qr.png',
    {
      config: owner('links:read'),
      schema: operation({
        id: 'getSharedLinkQrCode',
        tag: 'links',
        summary: 'The QR code of the shared link',
        params: ProjectParams,
        file: 'image/png',
      }),
    },
    (request, reply) => sendQrCode(request, reply, context),
  );

  app.patch<{ Params: { tokenId: string }; Body: UpdateLinkInput }>(
    '/api/projects/:projectId/links/:tokenId',
    {
      ...withoutSchemaSerializer,
      config: owner('projects:write'),
      schema: operation({
        id: 'updateLink',
        tag: 'extensions',
        summary:
          'Change the person, metadata, deadline or time of a link; disable it or stop its reminders, or undo both',
        description:
          'A shared link takes no recipient and no reminders. Clips of the link show the change at once; `timeFactor` applies to responses that begin later.',
        also: { 410: 'The link was erased.' },
        params: LinkParams,
        body: UpdateLinkBody,
        json: { 200: Type.Union([ref(RecipientLink), ref(SharedRecipientLink)]) },
      }),
    },
    async request => {
      const { ownerId, projectId } = projectOf(request);
      const { tokenId: linkId } = request.params;
      const { link } = await services.projects.updateLink({
        ownerId,
        projectId,
        linkId,
        ...linkChangeOf(request.body),
      });
      if (!link) throw new Error('the reply has no link');
      context.recentProjects.invited({ ownerId, projectId });
      // If this call fails, the request fails, and its repetition makes both changes.
      if (changesInvitation(request.body)) await services.submissions.touchLink({ ownerId, projectId, linkId });
      return link.linkType === LinkType.LINK_TYPE_SHARED
        ? presentOwnSharedLink(link, { baseUrl, projectId })
        : presentOwnLink(link, baseUrl);
    },
  );

  app.post(
    '/api/projects/:projectId/dashboard-token',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'rotateDashboardToken',
        tag: 'extensions',
        summary: 'A new dashboard token; the previous one stops working within seconds',
        params: ProjectParams,
        json: { 200: ref(DashboardToken) },
      }),
    },
    async (request): Promise<DashboardTokenJson> => {
      const { ownerId, projectId } = projectOf(request);
      const { projectToken } = await services.projects.rotateDashboardToken({ ownerId, projectId });
      return { projectId, projectToken, dashboardUrl: dashboardUrl(baseUrl, projectToken) };
    },
  );
}
