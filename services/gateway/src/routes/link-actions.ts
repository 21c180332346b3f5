import { ActOnLinksBody, type ActOnLinksInput, type LinkActionName } from '@recording-request/contract/link-requests';
import { ProjectParams } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import { LinkActions, type LinkActionsJson } from '@recording-request/contract/resources/link-actions';
import { LinkAction } from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { hashOfJson } from '../domain/json-hash.ts';
import { owner } from '../plugins/access-kinds.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_RULE, idempotencyHeaders, idempotencyKeyOf } from './idempotency.ts';

const ACTIONS: Record<LinkActionName, LinkAction> = {
  remind: LinkAction.LINK_ACTION_REMIND,
  disable: LinkAction.LINK_ACTION_DISABLE,
  enable: LinkAction.LINK_ACTION_ENABLE,
};

export async function linkActionRoutes(app: FastifyInstance, { services }: Context): Promise<void> {
  app.post<{ Body: ActOnLinksInput }>(
    '/api/projects/:projectId/link-actions',
    {
      ...withoutSchemaSerializer,
      config: owner('projects:write'),
      schema: operation({
        id: 'actOnLinks',
        tag: 'extensions',
        summary: 'Remind the people of several links, or disable or enable the links',
        description: `Acts on all links at once. A link that refuses the action does not stop the others: \`links\` says what happened to each. ${IDEMPOTENCY_RULE}`,
        params: ProjectParams,
        headers: idempotencyHeaders('request'),
        body: ActOnLinksBody,
        json: { 200: ref(LinkActions) },
        also: IDEMPOTENCY_ERRORS,
      }),
    },
    async (request, reply): Promise<LinkActionsJson> => {
      const { ownerId, projectId } = projectOf(request);
      const { action, tokenIds } = request.body;
      const linkIds = [...new Set(tokenIds.map(id => id.toLowerCase()))];
      const { links, replayed } = await services.projects.actOnLinks({
        ...{ ownerId, projectId, action: ACTIONS[action], linkIds },
        idempotencyKey: idempotencyKeyOf(request),
        bodyHash: hashOfJson({ projectId, action, linkIds }),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      const shown = links.map(({ linkId: tokenId, refusal, sentence }) => {
        const done = refusal === '';
        return { tokenId, done, code: done ? null : refusal, error: done ? null : sentence };
      });
      return { projectId, action, done: shown.filter(({ done }) => done).length, links: shown };
    },
  );
}
