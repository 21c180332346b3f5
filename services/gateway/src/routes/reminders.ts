import { presentOwnLink } from '@recording-request/contract/present';
import { LinkParams } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import { RecipientLink } from '@recording-request/contract/resources/link';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { hashOfJson } from '../domain/json-hash.ts';
import { owner } from '../plugins/access-kinds.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_RULE, idempotencyHeaders, idempotencyKeyOf } from './idempotency.ts';

/** The answer to a link that may not be reminded, for openapi.json. */
const REFUSED = `${IDEMPOTENCY_ERRORS[422]} Or nobody can be reminded through this link: not_remindable.`;

export async function remindersRoutes(app: FastifyInstance, { services, baseUrl }: Context): Promise<void> {
  app.post<{ Params: { tokenId: string } }>(
    '/api/projects/:projectId/links/:tokenId/remind',
    {
      ...withoutSchemaSerializer,
      config: owner('projects:write'),
      schema: operation({
        id: 'remindLink',
        tag: 'extensions',
        summary: 'Remind one person now',
        description: `Sends link.reminder_due once, if the person has sent nothing. At most one an hour for each link: reminded_recently is 429 with Retry-After. ${IDEMPOTENCY_RULE}`,
        params: LinkParams,
        headers: idempotencyHeaders('request'),
        json: { 200: ref(RecipientLink) },
        also: { ...IDEMPOTENCY_ERRORS, 422: REFUSED },
      }),
    },
    async (request, reply) => {
      const { ownerId, projectId } = projectOf(request);
      const { tokenId: linkId } = request.params;
      const { link, replayed } = await services.projects.remindLink({
        ...{ ownerId, projectId, linkId },
        idempotencyKey: idempotencyKeyOf(request),
        bodyHash: hashOfJson({ remind: linkId, projectId }),
      });
      if (!link) throw new Error('the reply has no link');
      if (replayed) reply.header('idempotent-replayed', 'true');
      return presentOwnLink(link, baseUrl);
    },
  );
}
