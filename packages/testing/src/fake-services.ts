import { DomainError } from '@recording-request/kit/errors';
import { type GrpcServer, type Handlers, implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { createLogger } from '@recording-request/kit/log';

/** One gRPC service, and the handlers that stand for it; they are looked up at each call, so that a test may change them. */
export interface FakeService {
  definition: object;
  handlers: () => Record<string, unknown>;
}

export const fakeService = <S>(definition: object, handlers: () => Partial<Handlers<S>>): FakeService => ({
  definition,
  handlers: handlers as FakeService['handlers'],
});

/** Serves them over real gRPC on a free port. A call for which there is no handler is refused as not found. */
export function startFakeServices(
  fakes: FakeService[],
  onCall: (name: string) => void = () => {},
): Promise<GrpcServer> {
  const services = fakes.map(({ definition, handlers }) => {
    const answers = Object.keys(definition).map(name => [
      name,
      (request: unknown, context: unknown) => {
        onCall(name);
        const handler = handlers()[name];
        if (typeof handler !== 'function') throw new DomainError('not_found', `${name} is not there.`);
        return handler(request, context);
      },
    ]);
    return implement(definition, Object.fromEntries(answers) as never);
  });
  return startGrpcServer({ listen: '127.0.0.1:0', log: createLogger('test', 'silent'), services });
}
