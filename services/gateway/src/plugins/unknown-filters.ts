import { FILTER_NAMES } from '@recording-request/contract/requests';
import { FAULTS_MAX } from '@recording-request/contract/validation';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The faults in the query names of a request. */
    wrongNames: NameFault[];
  }
}

interface NameFault {
  /** A part of the error sentence. */
  said: string;
  /** True if the route does not accept the name; false if the request repeats it. */
  isUnknown: boolean;
}

/**
 * Refuses unknown and repeated query names on owners' routes. If the gateway ignored them, the answer would contain
 * rows that the caller meant to filter out. The dashboard's lists refuse the filters of other lists, and misspelled
 * filters that differ from a known one only by case, `_` or `-`. The dashboard's exports ignore unknown names, because
 * people share their addresses. If values are wrong too, the error names both faults.
 */
export function installUnknownFilters(app: FastifyInstance): void {
  app.decorateRequest('wrongNames');
  app.addHook('preValidation', async request => {
    request.wrongNames = faultsOf(request);
  });
  app.addHook('preHandler', async ({ wrongNames }) => {
    if (wrongNames.length > 0) throw wrongQuery(wrongNames);
  });
}

/** Returns the 400 for wrong names in a query, followed by the other faults. */
export const wrongQuery = (faults: NameFault[], rest: string[] = []): DomainError =>
  new DomainError('invalid', `${[...faults.slice(0, FAULTS_MAX).map(({ said }) => said), ...rest].join('; ')}.`, {
    reason: faults.some(({ isUnknown }) => isUnknown) ? 'filter_unknown' : 'value_invalid',
  });

function faultsOf(request: FastifyRequest): NameFault[] {
  const { config, schema } = request.routeOptions;
  const declared = (schema?.querystring as { properties?: object } | undefined)?.properties;
  const query = request.query as Record<string, unknown>;
  if (config.access?.kind === 'owner') {
    const taken = declared ?? {};
    return Object.entries(query).flatMap(([given, value]) => unknownName(given, taken) ?? repeated(given, value) ?? []);
  }
  if (config.access?.kind !== 'dashboard' || !declared || !isList(schema)) return [];
  const meant = Object.keys(query).filter(given => knownName(given, declared) !== undefined);
  return meant.flatMap(given => unknownName(given, declared) ?? []);
}

/**
 * The dashboard's lists are extensions of the contract. Its exports belong to the contract, and its page is not
 * described.
 */
const isList = (schema: FastifySchema | undefined): boolean =>
  !schema?.hide && schema?.tags?.includes('extensions') === true;

const bare = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase();
const FILTERS = new Map(FILTER_NAMES.map(name => [bare(name), name]));

/**
 * Returns the known name that equals the given name or that the caller probably meant: a name of this route, or a
 * filter of another list.
 */
function knownName(given: string, taken: object): string | undefined {
  const meant = bare(given);
  return Object.keys(taken).find(name => bare(name) === meant) ?? FILTERS.get(meant);
}

function unknownName(given: string, taken: object): NameFault | undefined {
  if (Object.hasOwn(taken, given)) return undefined;
  const name = knownName(given, taken);
  if (name !== undefined && Object.hasOwn(taken, name)) {
    const said = `Write ${name}: upper and lower case count in a parameter's name, and none has an underscore or a hyphen`;
    return { said, isUnknown: true };
  }
  const kind = name === undefined ? 'parameter' : 'filter';
  return { said: `${name ?? shown(given)} is not a ${kind} that this route takes: leave it out`, isUnknown: true };
}

const repeated = (given: string, value: unknown): NameFault | undefined =>
  Array.isArray(value)
    ? { said: `${given} is given ${value.length} times: give it once`, isUnknown: false }
    : undefined;

const SHOWN_MAX = 60;

/** Returns the caller's name as the error sentence shows it, in quotes if it is not a plain word. */
function shown(given: string): string {
  const text = given.length > SHOWN_MAX ? `${given.slice(0, SHOWN_MAX)}…` : given;
  return /^[\w.-]+$/.test(text) ? text : JSON.stringify(text);
}
