import { DEFAULTS } from '@recording-request/contract/limits';
import { presentDelivery, presentEndpoint } from '@recording-request/contract/present';
import {
  DeliveryParams,
  PageQuery,
  type PageQueryInput,
  ProjectParams,
  RedeliverBody,
  type RedeliverInput,
  TestWebhookBody,
  type TestWebhookInput,
} from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import {
  WebhookDeliveriesPage,
  WebhookDelivery,
  type WebhookDeliveryJson,
  WebhookRedelivery,
  type WebhookRedeliveryJson,
} from '@recording-request/contract/resources/webhook-delivery';
import type { Delivery } from '@recording-request/proto/webhooks/v1/webhooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pagesUpTo } from '../clients/pages.ts';
import type { Context } from '../context.ts';
import { invalidFirst } from '../domain/invalid-first.ts';
import { owner } from '../plugins/access-kinds.ts';
import { LIST_PAGE_BYTES } from '../plugins/answer-memory.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendList } from './list-answer.ts';

// Longer than a test delivery, which may take 15 s.
const SEND_DEADLINE_MS = 20_000;
const NO_ADDRESS = 'The project has no webhookUrl.';

export async function deliveryRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services } = context;

  /** Checks the owner before any call to the webhooks service, because that service does not know owners. */
  async function ownProject(request: FastifyRequest): Promise<string> {
    const { ownerId, projectId } = projectOf(request);
    await services.projects.getProject({ ownerId, projectId, nameOnly: true });
    return projectId;
  }

  app.get<{ Querystring: PageQueryInput }>(
    '/api/projects/:projectId/webhook-deliveries',
    {
      config: { ...owner('submissions:read'), answerBytes: LIST_PAGE_BYTES },
      schema: operation({
        id: 'listWebhookDeliveries',
        tag: 'extensions',
        summary: 'The webhook deliveries, newest first, and the state of the endpoint',
        description:
          'For an erased submission, ids, types, times and outcomes stay, but never the sent bodies. Finished deliveries are deleted after 90 days, unless the operator chose another number.',
        params: ProjectParams,
        query: PageQuery,
        json: { 200: ref(WebhookDeliveriesPage) },
        conditional: true,
      }),
    },
    async (request, reply) => {
      const { limit = DEFAULTS.pageSize, cursor = '' } = request.query;
      const query = { projectId: projectOf(request).projectId, pageSize: limit, cursor };
      // Both calls run at the same time. If the owner check fails, its error is thrown and the deliveries are not
      // shown.
      const [projectId, first] = await invalidFirst(ownProject(request), services.webhooks.listDeliveries(query));
      const readOn = (from: string, pageSize: number) =>
        services.webhooks.listDeliveries({ projectId, pageSize, cursor: from }, { signal: request.clientGone });
      return await sendList(request, reply, context, {
        name: 'deliveries',
        before: ({ endpoint }) => ({ projectId, endpoint: presentEndpoint(endpoint) }),
        rows: ({ deliveries }) => deliveries.map(presentDelivery),
        after: ({ nextCursor }) => ({ pagination: { nextCursor: nextCursor || null } }),
        pages: pagesUpTo(limit, first, ({ deliveries }) => deliveries, readOn),
      });
    },
  );

  app.post<{ Params: { deliveryId: string } }>(
    '/api/projects/:projectId/webhook-deliveries/:deliveryId/redeliver',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'redeliverWebhook',
        tag: 'extensions',
        summary: 'Send a delivery again',
        description: 'Sends the same id and bytes again, even to a paused endpoint, once.',
        also: { 409: NO_ADDRESS, 410: 'The submission of the event was erased.' },
        params: DeliveryParams,
        json: { 200: ref(WebhookDelivery) },
      }),
    },
    async request => {
      const projectId = await ownProject(request);
      const { deliveryId } = request.params;
      return show(await services.webhooks.redeliver({ projectId, deliveryId }, { deadlineMs: SEND_DEADLINE_MS }));
    },
  );

  app.post<{ Body: RedeliverInput }>(
    '/api/projects/:projectId/webhook-deliveries/redeliver',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'redeliverWebhooks',
        tag: 'extensions',
        summary: 'Send the deliveries of the project, or of a time range, again',
        description:
          'Sends the same ids and bytes again, at most 10,000 events at once, without test events and erased ones. Events of a paused endpoint are sent when it resumes.',
        also: { 409: NO_ADDRESS },
        params: ProjectParams,
        body: RedeliverBody,
        json: { 200: ref(WebhookRedelivery) },
      }),
    },
    async (request): Promise<WebhookRedeliveryJson> => {
      const { from, to, undeliveredOnly = false } = request.body;
      const projectId = await ownProject(request);
      const range = { ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }), undeliveredOnly };
      const { count } = await services.webhooks.redeliverRange(
        { projectId, ...range },
        { deadlineMs: SEND_DEADLINE_MS },
      );
      return { projectId, count };
    },
  );

  app.post<{ Body: TestWebhookInput }>(
    '/api/projects/:projectId/webhook-test',
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'testWebhook',
        tag: 'extensions',
        summary: 'Send a test event now; a success ends a pause',
        description:
          'Sends webhook.test with `submission: null`, or an event of the `type` that you name, with realistic content and ids that no route knows. The event is signed like any other, has the header `service-test: true`, and is sent once. The answer has the outcome.',
        also: { 409: `${NO_ADDRESS} Or the operator has paused all webhooks.` },
        params: ProjectParams,
        body: TestWebhookBody,
        json: { 200: ref(WebhookDelivery) },
      }),
    },
    async request => {
      const projectId = await ownProject(request);
      const test = { projectId, eventType: request.body?.type ?? '' };
      return show(await services.webhooks.sendTest(test, { deadlineMs: SEND_DEADLINE_MS }));
    },
  );
}

function show({ delivery }: { delivery?: Delivery | undefined }): WebhookDeliveryJson {
  if (!delivery) throw new Error('the reply has no delivery');
  return presentDelivery(delivery);
}
