import { RecipientParams, type ScriptInput, ScriptQuery } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import type { ProjectSettings, ResolveRecipientResponse } from '@recording-request/proto/projects/v1/projects';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { recipient } from '../plugins/access-kinds.ts';
import { recipientOf } from '../plugins/caller.ts';
import { statusOf } from './recipient-status.ts';

/** Why a link accepts no new response, by its state. */
const ENDS = {
  disabled: ['link_disabled', 'This recording link was disabled.'],
  exhausted: ['link_used', 'This recording link is used up: every response that it takes has been sent.'],
  expired: ['link_expired', 'This recording link has expired.'],
  closed: ['project_closed', 'This project is closed.'],
} as const;

/** Serves the script of a link, which its page loads only when a contributor wants to read it. Claims no use. */
export async function scriptRoute(
  app: FastifyInstance,
  { services }: Context,
  resolve: (token: string) => Promise<ResolveRecipientResponse | undefined>,
): Promise<void> {
  app.get<{ Params: { token: string }; Querystring: ScriptInput }>(
    '/r/:token/script',
    {
      config: recipient('contributor'),
      schema: { hide: true, params: RecipientParams, querystring: ScriptQuery },
    },
    async (request, reply) => {
      const { linkId } = recipientOf(request);
      const { responseSessionId } = request.query;
      const settings = responseSessionId
        ? await settingsOf(linkId, responseSessionId.toLowerCase())
        : settingsNow(await resolve(request.params.token));
      if (!settings?.script) throw new DomainError('not_found', 'This recording link has no script.');
      return reply.type('text/plain; charset=utf-8').send(settings.script);
    },
  );

  /** Returns the settings with which a response began. */
  async function settingsOf(linkId: string, responseSessionId: string): Promise<ProjectSettings | undefined> {
    return (await services.projects.getResponse({ linkId, responseSessionId })).response?.settings;
  }
}

/** Returns the settings that the page shows. Fails with `gone` if the link accepts no new response. */
function settingsNow(found: ResolveRecipientResponse | undefined): ProjectSettings | undefined {
  const status = found && statusOf(found);
  if (found && status && status !== 'active') {
    const [reason, sentence] = ENDS[status];
    throw new DomainError('gone', sentence, { reason });
  }
  return found?.underWay?.settings ?? found?.settings;
}
