import { createFaultFinders } from '@recording-request/contract/validation';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyError, FastifyInstance } from 'fastify';

const IDS = ['projectId', 'submissionId', 'tokenId', 'deliveryId', 'responseSessionId'];

/** Bodies are strict; queries and path parameters are text, and coerced. */
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
  // A path with `//` in it has a route whose id is empty. Before the token is looked at, as for any other unknown route.
  app.addHook('onRequest', async request => {
    if (request.is404) return;
    const [empty] =
      Object.entries(request.params as object).find(([name, value]) => value === '' && name !== '*') ?? [];
    if (empty)
      throw new DomainError('not_found', `There is no such route: the path has nothing where ${empty} belongs.`);
  });
  // Ids are stored in lower case, and a UUID is the same in either.
  app.addHook('preHandler', async request => {
    const params = request.params as Record<string, string> | undefined;
    for (const name of IDS) {
      const value = params?.[name];
      if (params && value) params[name] = value.toLowerCase();
    }
  });
}
