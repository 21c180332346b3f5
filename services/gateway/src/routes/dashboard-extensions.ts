import { linkStatusOf, presentEndpoint } from '@recording-request/contract/present';
import {
  type DashboardLinksInput,
  DashboardLinksQuery,
  DashboardParams,
  DashboardSubmissionParams,
  SubmissionsQuery,
} from '@recording-request/contract/requests';
import {
  DashboardEndpoint,
  type DashboardEndpointJson,
  DashboardLinks,
  DashboardOverview,
} from '@recording-request/contract/resources/dashboard';
import { ref } from '@recording-request/contract/resources/fields';
import { Submission, SubmissionsPage } from '@recording-request/contract/resources/submission';
import { TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { LINKS_PAGE_SIZE } from '@recording-request/web-dashboard/settings';
import type { FastifyInstance } from 'fastify';
import { loadShownProject, presentClip } from '../clients/shown-clips.ts';
import type { Context } from '../context.ts';
import { dashboard } from '../plugins/access-kinds.ts';
import { projectOf, submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendUnlessSame } from './answers.ts';
import { loadLinks, loadOverview } from './dashboard-page.ts';
import { EXPORT_FILES, exportAnswers, sendExport } from './exports.ts';
import { MEDIA_ERRORS, MEDIA_FILES, sendMedia } from './media.ts';
import { loadPage } from './submissions.ts';
import { sendTranscript, TRANSCRIPT_FILES } from './transcripts.ts';

const UNLESS_SAME = 'Cheap to poll: it has an ETag and supports If-None-Match (304).';
const ONE = '/project/:projectToken/submissions/:submissionId';

/** The dashboard page's requests, except the five files of the contract. All are read-only. */
export async function dashboardExtensionRoutes(app: FastifyInstance, context: Context): Promise<void> {
  app.get(
    '/project/:projectToken/overview',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetOverview',
        tag: 'extensions',
        summary: 'The project with its figures and the size of its videos',
        description: `${UNLESS_SAME} It changes with each new clip or transcript.`,
        params: DashboardParams,
        json: { 200: ref(DashboardOverview) },
      }),
    },
    async (request, reply) => sendUnlessSame(request, reply, await loadOverview(context, request)),
  );

  app.get(
    '/project/:projectToken/submissions',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardListSubmissions',
        tag: 'extensions',
        summary: 'The submissions of a project, newest first, with a search by words',
        description: UNLESS_SAME,
        params: DashboardParams,
        query: SubmissionsQuery,
        json: { 200: ref(SubmissionsPage) },
        conditional: true,
      }),
    },
    async (request, reply) => sendUnlessSame(request, reply, await loadPage(context, request)),
  );

  app.get<{ Querystring: DashboardLinksInput }>(
    '/project/:projectToken/links',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardListLinks',
        tag: 'extensions',
        summary: 'The recording links of a project, page by page',
        description: UNLESS_SAME,
        params: DashboardParams,
        query: DashboardLinksQuery,
        json: { 200: ref(DashboardLinks) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const { limit: pageSize = LINKS_PAGE_SIZE, cursor, status, complete } = request.query;
      const page = { pageSize, cursor, status: status && linkStatusOf(status), complete };
      return sendUnlessSame(request, reply, await loadLinks(context, request, page));
    },
  );

  endpointRoute(app, context);
  selectedZip(app, context);
  submissionRoutes(app, context);
}

function endpointRoute(app: FastifyInstance, { services }: Context): void {
  app.get(
    '/project/:projectToken/webhook-endpoint',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetWebhookEndpoint',
        tag: 'extensions',
        summary: 'Whether the endpoint of the project accepts events',
        description: UNLESS_SAME,
        params: DashboardParams,
        json: { 200: ref(DashboardEndpoint) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const { projectId } = projectOf(request);
      const { endpoint } = await services.webhooks.listDeliveries({ projectId, pageSize: 1, cursor: '' });
      const shown: DashboardEndpointJson = { projectId, endpoint: presentEndpoint(endpoint) };
      return sendUnlessSame(request, reply, shown);
    },
  );
}

function selectedZip(app: FastifyInstance, context: Context): void {
  const zip = EXPORT_FILES.find(({ id }) => id === 'Zip')!;
  const file = { ...zip, suffix: 'selected.zip' };
  const filter = { selected: true, transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED };
  app.get(
    '/project/:projectToken/export/selected.zip',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardExportSelected',
        tag: 'extensions',
        summary: 'Like project.zip, with only the selected submissions',
        params: DashboardParams,
        ...exportAnswers(file),
      }),
    },
    (request, reply) => sendExport(request, reply, context, file, { filter, includeLinks: true }),
  );
}

function submissionRoutes(app: FastifyInstance, context: Context): void {
  const { services } = context;
  app.get(
    ONE,
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetSubmission',
        tag: 'extensions',
        summary: 'One submission',
        description: UNLESS_SAME,
        params: DashboardSubmissionParams,
        json: { 200: ref(Submission) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const target = submissionOf(request);
      const [shown, { submission }] = await Promise.all([
        loadShownProject(services, target),
        services.submissions.getSubmission(target),
      ]);
      return sendUnlessSame(request, reply, await presentClip(context, shown, submission));
    },
  );

  for (const file of MEDIA_FILES) {
    app.get(
      `${ONE}/${file.path}`,
      {
        config: dashboard,
        schema: operation({
          id: `dashboardGet${file.id}`,
          tag: 'extensions',
          summary: `The ${file.path.replace('-', ' of the ')} of a submission, to be shown in a page`,
          description: 'Has its true media type. Supports ranges and conditions like the owner’s route.',
          params: DashboardSubmissionParams,
          file: file.shownType,
          also: MEDIA_ERRORS,
        }),
      },
      (request, reply) =>
        sendMedia(request, reply, context, {
          kind: file.kind,
          disposition: 'inline',
          cacheControl: file.shownType === 'image/jpeg' ? 'private, no-cache' : 'no-store',
        }),
    );
  }
  for (const file of TRANSCRIPT_FILES) {
    app.get(
      `${ONE}/${file.path}`,
      {
        config: dashboard,
        schema: operation({
          id: `dashboardGetTranscript${file.id}`,
          tag: 'extensions',
          summary: file.summary,
          params: DashboardSubmissionParams,
          file: file.type,
          conditional: true,
        }),
      },
      (request, reply) => sendTranscript(request, reply, context, file),
    );
  }
}
