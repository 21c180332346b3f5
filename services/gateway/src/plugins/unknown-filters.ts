import { FILTER_NAMES } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Refuses a filter that one list knows and the called one does not take: ignored, it would answer with rows that the caller
 * meant to leave out. Other unknown names are ignored, and all of them on the dashboard's exports, whose addresses people pass on.
 */
export function installUnknownFilters(app: FastifyInstance): void {
  app.addHook('preValidation', async request => {
    const taken = filtersTaken(request);
    if (!taken) return;
    const query = request.query as Record<string, unknown>;
    const name = FILTER_NAMES.find(each => Object.hasOwn(query, each) && !Object.hasOwn(taken, each));
    if (name !== undefined)
      throw new DomainError('invalid', `${name} is not a filter that this route takes: leave it out.`, {
        reason: 'filter_unknown',
      });
  });
}

/** The query's declared names, or undefined where nothing is refused. */
function filtersTaken({ method, routeOptions: { config, schema } }: FastifyRequest): object | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const declared = schema?.querystring as { properties?: object } | undefined;
  if (config.access?.kind === 'owner') return declared?.properties ?? {};
  return config.access?.kind === 'dashboard' && !schema?.hide ? declared?.properties : undefined;
}
