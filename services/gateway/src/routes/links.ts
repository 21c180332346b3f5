import { dashboardUrl, recipientUrl } from '@recording-request/contract/addresses';
import { downloadName } from '@recording-request/contract/download-name';
import { presentLink, presentSharedLink } from '@recording-request/contract/present';
import { LinkParams, ProjectParams, UpdateLinkBody, type UpdateLinkInput } from '@recording-request/contract/requests';
import { DashboardToken, type DashboardTokenJson } from '@recording-request/contract/resources/dashboard';
import { ref } from '@recording-request/contract/resources/fields';
import { RecipientLink, SharedRecipientLink } from '@recording-request/contract/resources/link';
import { ProjectLinks } from '@recording-request/contract/resources/project';
import { LinkType } from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { qrCode } from '../adapters/qr-code.ts';
import { pagesOfLinks } from '../clients/link-pages.ts';
import type { Context } from '../context.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { projectOf } from '../plugins/caller.ts';
import { asBuilt, operation } from '../plugins/operation.ts';
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

  app.get(
    '/api/projects/:projectId/links',
    {
      ...asBuilt,
      config: { ...owner('links:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'listLinks',
        tag: 'links',
        summary: 'The recording links of a project',
        params: ProjectParams,
        json: { 200: ref(ProjectLinks) },
        conditional: true,
      }),
    },
    (request, reply) => {
      const project = projectOf(request);
      const { projectId } = project;
      return sendList(request, reply, context, {
        name: 'recipientUrls',
        before: ({ sharedLink }) => ({
          projectId,
          sharedLink: sharedLink ? presentSharedLink(sharedLink, { baseUrl, projectId }) : null,
        }),
        rows: ({ uniqueLinks }) => uniqueLinks.map(link => presentLink(link, baseUrl)),
        pages: pagesOfLinks(services, project, request.clientGone),
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
      ...asBuilt,
      config: owner('projects:write'),
      schema: operation({
        id: 'updateLink',
        tag: 'extensions',
        summary: 'Disable a link, or enable it again',
        params: LinkParams,
        body: UpdateLinkBody,
        json: { 200: Type.Union([ref(RecipientLink), ref(SharedRecipientLink)]) },
      }),
    },
    async request => {
      const { ownerId, projectId } = projectOf(request);
      const { tokenId: linkId } = request.params;
      const { link } = await services.projects.updateLink({ ownerId, projectId, linkId, ...request.body });
      if (!link) throw new Error('the reply has no link');
      return link.linkType === LinkType.LINK_TYPE_SHARED
        ? presentSharedLink(link, { baseUrl, projectId })
        : presentLink(link, baseUrl);
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
