import { FILTER_NAMES } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FAULTS_MAX } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is wrong with the names of its filters, as parts of a sentence. */
    wrongFilters: string[];
  }
}

/**
 * Refuses a filter that one list knows and the called one does not take, and any known name that is written in another
 * case, with underscores or with hyphens: ignored, it would answer with rows that the caller meant to leave out. Other unknown
 * names are ignored, and all of them on the dashboard's exports, whose addresses people pass on. Where values are wrong, too,
 * the error of the validation names both.
 */
export function installUnknownFilters(app: FastifyInstance): void {
  app.decorateRequest('wrongFilters');
  app.addHook('preValidation', async request => {
    const taken = filtersTaken(request);
    request.wrongFilters = Object.keys(taken ? (request.query as object) : {}).flatMap(given => {
      const name = nameOf(given, taken!);
      return name === undefined ? [] : (faultOf(given, name, taken!) ?? []);
    });
  });
  app.addHook('preHandler', async ({ wrongFilters }) => {
    if (wrongFilters.length > 0) throw unknownFilters(wrongFilters);
  });
}

/** The 400 for wrong names of filters, with what else is wrong. */
export const unknownFilters = (wrongFilters: string[], rest: string[] = []): DomainError =>
  new DomainError('invalid', `${[...wrongFilters.slice(0, FAULTS_MAX), ...rest].join('; ')}.`, {
    reason: 'filter_unknown',
  });

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
  if (!Object.hasOwn(taken, name)) return `${name} is not a filter that this route takes: leave it out`;
  if (given === name) return undefined;
  return `Write ${name}: upper and lower case count in a parameter's name, and none has an underscore or a hyphen`;
}
