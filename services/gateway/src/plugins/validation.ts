import { createFaultFinders } from '@recording-request/contract/validation';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyError, FastifyInstance } from 'fastify';

const NO_FIELDS = { type: ['object', 'null'], additionalProperties: false };
const IDS = ['projectId', 'submissionId', 'tokenId', 'deliveryId', 'responseSessionId'];

/** Validates bodies strictly. Coerces queries and path parameters, because they are text. */
export function installValidation(app: FastifyInstance): void {
  const bodies = createFaultFinders({ coerce: false });
  const texts = createFaultFinders({ coerce: true });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const faultsIn = (httpPart === 'body' ? bodies : texts)(schema as object);
    return (value: unknown) => {
      const faults = faultsIn(value);
      return faults ? { error: faults as unknown as FastifyError['validation'] & Error } : { value };
    };
  });
  // A route without a body schema would ignore a body, so it gets this validator. It gets no schema, because the API
  // description must not show a body.
  const faultsInNone = bodies(NO_FIELDS);
  app.addHook('preValidation', async ({ body, is404, routeOptions: { config, schema } }) => {
    if (is404 || config.streamsBody || schema?.body) return;
    const faults = faultsInNone(body ?? null);
    if (faults) throw Object.assign(new Error('the body has fields'), { validation: faults });
  });
  // A path with `//` matches a route with an empty id. The gateway refuses it before it checks the token, like any
  // unknown route.
  app.addHook('onRequest', async request => {
    if (request.is404) return;
    const [empty] =
      Object.entries(request.params as object).find(([name, value]) => value === '' && name !== '*') ?? [];
    if (empty)
      throw new DomainError('not_found', `There is no such route: the path has nothing where ${empty} belongs.`);
  });
  // Ids are stored in lower case. A UUID in upper case means the same id.
  app.addHook('preHandler', async request => {
    const params = request.params as Record<string, string> | undefined;
    for (const name of IDS) {
      const value = params?.[name];
      if (params && value) params[name] = value.toLowerCase();
    }
  });
}
