import { dashboardUrl } from '@recording-request/contract/addresses';
import { presentLinks, presentProjectDetail } from '@recording-request/contract/present';
import { DashboardParams, SubmissionsQuery, type SubmissionsQueryInput } from '@recording-request/contract/requests';
import type { DashboardLinksJson, DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import type { LinkStatus } from '@recording-request/proto/projects/v1/projects';
import { dashboardAssets } from '@recording-request/web-dashboard/assets';
import { renderDashboard } from '@recording-request/web-dashboard/document';
import { dashboardPage, problemPage } from '@recording-request/web-dashboard/page';
import { LINKS_PAGE_SIZE, PAGE_SIZE } from '@recording-request/web-dashboard/settings';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { dashboard } from '../plugins/access-kinds.ts';
import { projectOf } from '../plugins/caller.ts';
import { takesPage } from '../plugins/errors.ts';
import { type LinkedPage, redirectTouched } from '../plugins/touched-links.ts';
import { etagOf, sendDocument } from './answers.ts';
import { pageAssetRoutes } from './page-assets.ts';
import { loadProject } from './projects.ts';
import { loadPage } from './submissions.ts';

interface Ask {
  Params: { projectToken: string };
  Querystring: SubmissionsQueryInput;
}

const PAGE = '/project/:projectToken';

/** Serves the page at the dashboard's address. */
export async function dashboardPageRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const assets = dashboardAssets();
  const look = { style: assets.style, scriptName: assets.scriptName, brand: context.brand };
  const linked: LinkedPage = {
    start: '/project/',
    route: PAGE,
    prefix: 'prj',
    addressOf: token => dashboardUrl(context.baseUrl, token),
  };
  pageAssetRoutes(app, assets);

  // A browser gets a page for the dashboard's address and for every address under /project/ that has no route.
  app.errorPages.set(linked.start, (reply, sentence) => {
    const { request, statusCode } = reply;
    const isRefused = statusCode === 429 || statusCode >= 500;
    const redirected = isRefused ? undefined : redirectTouched(reply, linked);
    const isPage = request.routeOptions?.url === PAGE || request.routeOptions?.url === undefined;
    if (redirected || !isPage || !takesPage(request.headers)) return redirected;
    return sendDocument(reply, statusCode, renderDashboard(look, problemPage(statusCode, sentence, context.brand)));
  });

  app.get<Ask>(
    PAGE,
    {
      config: dashboard,
      schema: { hide: true, params: DashboardParams, querystring: SubmissionsQuery },
      // Drops empty fields, because a form also sends these.
      preValidation: async request => {
        const query = request.query as Record<string, unknown>;
        for (const [name, value] of Object.entries(query)) if (value === '') delete query[name];
      },
    },
    async (request, reply) => {
      const { q = '', selected = false, transcriptStatus = '', cursor } = request.query;
      // Loads the overview before the clips. If a clip lands in between, the next overview differs and the page loads
      // the clips again.
      const overview = await loadOverview(context, request);
      const [links, page] = await Promise.all([
        loadLinks(context, request, { pageSize: LINKS_PAGE_SIZE }),
        loadPage(context, request, PAGE_SIZE),
      ]);
      const etags = { overview: etagOf(overview), clips: etagOf(page) };
      const query = { q, selected, transcriptStatus };
      const view = { overview, links, page, etags, query, older: cursor !== undefined };
      const document = dashboardPage({ ...view, token: request.params.projectToken, brand: context.brand });
      return sendDocument(reply, 200, renderDashboard(look, document));
    },
  );
}

/** Returns the project and the total size of its videos. */
export async function loadOverview(
  { services, baseUrl }: Context,
  request: FastifyRequest,
): Promise<DashboardOverviewJson> {
  const project = projectOf(request);
  const [found, measured] = await Promise.all([
    loadProject(services, project),
    services.submissions.measureVideos(project),
  ]);
  return {
    project: presentProjectDetail(found.project, baseUrl, found.counts),
    videoBytes: measured.bytes,
    selectedVideoBytes: measured.selectedBytes,
  };
}

export async function loadLinks(
  { services, baseUrl }: Context,
  request: FastifyRequest,
  page: { pageSize: number; cursor?: string; status?: LinkStatus; complete?: boolean },
): Promise<DashboardLinksJson> {
  const { ownerId, projectId } = projectOf(request);
  const found = await services.projects.listLinks({ ownerId, projectId, ...page });
  return {
    ...presentLinks(found, { baseUrl, projectId }),
    pagination: { nextCursor: found.nextCursor ?? null },
  };
}
