import { DEFAULTS } from '@recording-request/contract/limits';
import { presentOwnerEvent } from '@recording-request/contract/present';
import { EventsQuery, type EventsQueryInput } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import { OwnerEventsPage, type OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import { DomainError } from '@recording-request/kit/errors';
import type { ListEventsRequest, ListEventsResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { owner } from '../plugins/access-kinds.ts';
import { operation, withoutSchemaSerializer } from '../plugins/operation.ts';

const DEADLINE_MS = 10_000;

const DESCRIPTION =
  'Every event of all your projects, with or without a webhookUrl, in one order. Continue each time from `nextCursor`: then you get each event exactly once, in this order. With `wait`, the request lasts until there is an event. At most 10 requests of an owner may wait at once.';

export async function eventRoutes(app: FastifyInstance, { services }: Context): Promise<void> {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  /** Waits for as long as the request states. When this process stops, returns the available events at once. */
  async function list(request: ListEventsRequest, clientGone: AbortSignal): Promise<ListEventsResponse> {
    const deadlineMs = DEADLINE_MS + 1_000 * request.waitSeconds;
    try {
      return await services.webhooks.listEvents(request, { deadlineMs, signal: stopping.signal });
    } catch (error) {
      if (!stopping.signal.aborted || clientGone.aborted) throw error;
      return await services.webhooks.listEvents({ ...request, waitSeconds: 0 }, { deadlineMs: DEADLINE_MS });
    }
  }

  app.get<{ Querystring: EventsQueryInput }>(
    '/api/events',
    {
      config: owner('events:read'),
      ...withoutSchemaSerializer,
      schema: operation({
        id: 'listEvents',
        tag: 'extensions',
        summary: 'The events of all projects, page by page, in one order',
        description: DESCRIPTION,
        query: EventsQuery,
        json: { 200: ref(OwnerEventsPage) },
        also: { 410: 'Events after this cursor have been deleted: `Events-Oldest` is a cursor that continues.' },
      }),
    },
    async (request, reply): Promise<OwnerEventsPageJson> => {
      if (!request.owner) throw new Error('no owner');
      const page = await list(requestOf(request.owner.userId, request.query), request.clientGone);
      if (page.expired) throw expired(reply, page);
      const { events, nextCursor, caughtUp } = page;
      return { events: events.map(presentOwnerEvent), nextCursor, caughtUp };
    },
  );
}

function requestOf(ownerId: string, query: EventsQueryInput): ListEventsRequest {
  const { after = '', since, types, projectId = '', limit = DEFAULTS.eventsPageSize, wait: waitSeconds = 0 } = query;
  return {
    ...{ ownerId, after, types: types?.split(',') ?? [], projectId, limit, waitSeconds },
    ...(since !== undefined && { since: new Date(since) }),
  };
}

function expired(reply: FastifyReply, { nextCursor }: ListEventsResponse): DomainError {
  reply.header('events-oldest', nextCursor);
  const sentence = 'The feed no longer has the events after this cursor; continue from the cursor in Events-Oldest.';
  return new DomainError('gone', sentence, { reason: 'cursor_expired' });
}
