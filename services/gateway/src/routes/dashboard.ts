import { presentLinks, presentProjectDetail } from '@recording-request/contract/present';
import {
  DashboardParams,
  DashboardSubmissionParams,
  SubmissionsQuery,
  type SubmissionsQueryInput,
} from '@recording-request/contract/requests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Gatehouse } from '../app.ts';
import { dashboardPage } from '../pages/dashboard-page.ts';
import { sendPage } from '../pages/html.ts';
import { dashboard } from '../plugins/access-kinds.ts';
import { clientGone } from '../plugins/client-gone.ts';
import { EXPORT_FILES, exportAnswer, sendExport } from './exports.ts';
import { sendQrCode } from './links.ts';
import { MEDIA_FILES, sendMedia } from './media.ts';
import { projectOf } from './project-ref.ts';
import { loadProject } from './projects.ts';
import { asBuilt, operation } from './schema.ts';
import { loadPage } from './submissions.ts';
import { sendTranscript, TRANSCRIPT_FILES } from './transcripts.ts';

/** Everything that the private dashboard token reads: the contract's five files, and what the page itself needs. */
export async function dashboardRoutes(app: FastifyInstance, house: Gatehouse): Promise<void> {
  for (const file of EXPORT_FILES) {
    app.get(
      `/project/:projectToken/${file.path}`,
      {
        config: dashboard,
        schema: operation({
          id: `dashboardExport${file.id}`,
          tag: 'dashboard',
          summary: file.summary,
          params: DashboardParams,
          ...exportAnswer(file),
        }),
      },
      (request, reply) => sendExport(request, reply, house, file, { includeLinks: true }),
    );
  }

  app.get(
    '/project/:projectToken/shared-link/qr.png',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetSharedLinkQrCode',
        tag: 'dashboard',
        summary: 'The QR code of the shared link',
        params: DashboardParams,
        file: 'image/png',
      }),
    },
    (request, reply) => sendQrCode(request, reply, house),
  );

  pageRoutes(app, house);
}

function pageRoutes(app: FastifyInstance, house: Gatehouse): void {
  app.get<{ Params: { projectToken: string }; Querystring: SubmissionsQueryInput }>(
    '/project/:projectToken',
    { config: dashboard, schema: { hide: true, params: DashboardParams, querystring: SubmissionsQuery } },
    async (request, reply) => sendPage(reply, 200, await loadDashboard(request, reply)),
  );

  async function loadDashboard(request: FastifyRequest, reply: FastifyReply) {
    const { ownerId, projectId } = projectOf(request);
    const signal = clientGone(reply);
    const [{ project, counts }, links, page] = await Promise.all([
      loadProject(house.services, { ownerId, projectId }, signal),
      house.services.projects.listLinks({ ownerId, projectId }, { signal }),
      loadPage(house, request, reply),
    ]);
    return dashboardPage({
      project: presentProjectDetail(project, counts),
      links: presentLinks(links, { baseUrl: house.baseUrl, projectId }),
      page,
      token: (request.params as { projectToken: string }).projectToken,
    });
  }

  app.get(
    '/project/:projectToken/submissions',
    { ...asBuilt, config: dashboard, schema: { hide: true, params: DashboardParams, querystring: SubmissionsQuery } },
    (request, reply) => loadPage(house, request, reply),
  );

  const one = '/project/:projectToken/submissions/:submissionId';
  for (const file of MEDIA_FILES) {
    app.get(
      `${one}/${file.path}`,
      { config: dashboard, schema: { hide: true, params: DashboardSubmissionParams } },
      (request, reply) =>
        sendMedia(request, reply, house, { kind: file.kind, disposition: 'inline', cacheControl: 'no-store' }),
    );
  }
  for (const file of TRANSCRIPT_FILES) {
    app.get(
      `${one}/${file.path}`,
      { config: dashboard, schema: { hide: true, params: DashboardSubmissionParams } },
      (request, reply) => sendTranscript(request, reply, house, file),
    );
  }
}
