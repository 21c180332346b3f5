import { FILTER_NAMES } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Refuses a filter that one list knows and the called one does not take, and any known name that is written in another
 * case, with underscores or with hyphens: ignored, it would answer with rows that the caller meant to leave out. Other unknown
 * names are ignored, and all of them on the dashboard's exports, whose addresses people pass on.
 */
export function installUnknownFilters(app: FastifyInstance): void {
  app.addHook('preValidation', async request => {
    const taken = filtersTaken(request);
    if (!taken) return;
    for (const given of Object.keys(request.query as object)) {
      const name = nameOf(given, taken);
      const sentence = name !== undefined && faultOf(given, name, taken);
      if (sentence) throw new DomainError('invalid', sentence, { reason: 'filter_unknown' });
    }
  });
}

/** The query's declared names, or undefined where nothing is refused. */
function filtersTaken({ method, routeOptions: { config, schema } }: FastifyRequest): object | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const declared = schema?.querystring as { properties?: object } | undefined;
  if (config.access?.kind === 'owner') return declared?.properties ?? {};
  return config.access?.kind === 'dashboard' && !schema?.hide ? declared?.properties : undefined;
}

const bare = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase();
const FILTERS = new Map(FILTER_NAMES.map(name => [bare(name), name]));

/** The known name that a given one is, or was meant to be. */
function nameOf(given: string, taken: object): string | undefined {
  const meant = bare(given);
  return FILTERS.get(meant) ?? Object.keys(taken).find(name => bare(name) === meant);
}

function faultOf(given: string, name: string, taken: object): string | undefined {
  if (!Object.hasOwn(taken, name)) return `${name} is not a filter that this route takes: leave it out.`;
  if (given === name) return undefined;
  return `Write ${name}: upper and lower case count in a parameter's name, and none has an underscore or a hyphen.`;
}
