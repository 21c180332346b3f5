import { newEvent } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import { loadConfig } from '@recording-request/kit/config';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger } from '@recording-request/kit/log';
import { internalVariables } from '@recording-request/kit/service-variables';
import { type GrpcServer, type Handlers, implement, startGrpcServer } from '@recording-request/kit-rpc/grpc-server';
import { openInternal } from '@recording-request/kit-rpc/internal/internal';
import { callers } from '@recording-request/proto/callers';
import {
  JobKind,
  type TakeJobResponse,
  type WorkServiceServer,
  WorkServiceService,
} from '@recording-request/proto/work/v1/work';
import { everyServiceEnv } from './test-certificates.ts';

/** A gRPC service and its fake handlers. Each call looks its handler up, so that a test may change the handlers. */
export interface FakeService {
  definition: object;
  handlers: () => Record<string, unknown>;
}

export const fakeService = <S>(definition: object, handlers: () => Partial<Handlers<S>>): FakeService => ({
  definition,
  handlers: handlers as FakeService['handlers'],
});

type WaitingJob = NonNullable<TakeJobResponse['job']>;

export interface FakeWork extends FakeService {
  /** Adds a waiting job and wakes a worker. */
  give(kafka: Pick<Kafka, 'publish'>, job: WaitingJob): Promise<void>;
}

/** Grants every claim, and hands out the jobs that a test adds. */
export function fakeWork(): FakeWork {
  const jobs: WaitingJob[] = [];
  const kinds = { media: JobKind.JOB_KIND_MEDIA, transcript: JobKind.JOB_KIND_TRANSCRIPT };
  const fake = fakeService<WorkServiceServer>(WorkServiceService, () => ({
    renewJob: async () => ({ held: true }),
    giveBackJob: async () => ({}),
    async takeJob({ kind }) {
      const at = jobs.findIndex(({ $case }) => kinds[$case] === kind);
      const [job] = at < 0 ? [] : jobs.splice(at, 1);
      return { job, leaseMs: 60_000, earlierRuns: 0, askedIn: undefined, landedIn: undefined };
    },
  }));
  return {
    ...fake,
    async give(kafka, job) {
      jobs.push(job);
      const { projectId, submissionId } = job.value;
      const value = { projectId, submissionId };
      await kafka.publish(newEvent(`submission.${job.$case}.requested`, { $case: 'jobRequested', value }));
    },
  };
}

/**
 * Serves fakes over gRPC on a free port, only to permitted callers. The certificate names every service. A call without
 * a handler fails with NOT_FOUND.
 */
export async function startFakeServices(
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
  const log = createLogger('test', 'silent');
  const config = loadConfig(await everyServiceEnv(), internalVariables);
  const internal = await openInternal(config, 'gateway', log);
  return await startGrpcServer({ listen: '127.0.0.1:0', log, services, internal, callersOf: callers.services });
}
