import { randomBytes, randomUUID } from 'node:crypto';
import type { Settings } from '@recording-request/contract/project-settings';
import { DomainError, type ErrorCode } from '@recording-request/kit/errors';
import { isOutage } from '@recording-request/kit/outage';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type CreateProjectRequest,
  type CreateProjectResponse,
  type Project,
  type ProjectSettings,
  type ProjectsServiceServer,
  ProjectsServiceService,
  type UpdateProjectRequest,
} from '@recording-request/proto/projects/v1/projects';
import { projectSettings } from '@recording-request/testing/project-settings';
import { openTestCallers } from '@recording-request/testing/test-callers';
import { startTestService } from '@recording-request/testing/test-service';
import { until } from '@recording-request/testing/wait';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/migrate.ts';
import { startService } from '../src/service.ts';
import { openStore } from '../src/store/store.ts';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

/**
 * Starts the service as in production. Its sweeper does nothing unless `extra` enables it. `start` may change the
 * configuration of each process.
 */
export async function startTestProjects(extra: Record<string, string> = {}, start = startService) {
  await using starting = new AsyncDisposableStack();
  const running = starting.use(
    await startTestService({
      name: 'projects',
      readConfig,
      startService: start,
      migrate,
      env: { CLAIM_SWEEP_SECONDS: '3600', ...extra },
    }),
  );
  const { config, log } = running;
  const store = await openStore({
    mongo: config,
    idempotency: { keepMs: 60_000, leaseMs: 60_000 },
    transfers: { leaseMs: config.claimLeaseMs, settleDelayMs: 5, log },
  });
  starting.defer(() => store.close());
  const started = starting.move();
  return {
    accounts: running.client<AccountsServiceServer>(AccountsServiceService),
    projects: running.client<ProjectsServiceServer>(ProjectsServiceService),
    operator: running.client<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService),
    /** A second connection to the same database, like another replica's. */
    store,
    clock: store.clock,
    /** Opens another process of the service that has another ring of keys. */
    async withKeys(secretsKey: string, secretsKeysLost: string[] = []) {
      await using opened = new AsyncDisposableStack();
      const { grpcAddress, operatorAddress } = opened.use(
        await startService({ ...config, secretsKey, secretsKeysLost }, log),
      );
      const callers = opened.use(await openTestCallers(running.environment.env));
      const addresses = { services: grpcAddress, operator: operatorAddress };
      const clientOf = <S>(definition: object) =>
        opened.adopt(callers.client<S>(definition, 'projects', addresses), client => client.close());
      const projects = clientOf<ProjectsServiceServer>(ProjectsServiceService);
      const operator = clientOf<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService);
      const parts = opened.move();
      return { projects, operator, [Symbol.asyncDispose]: () => parts.disposeAsync() };
    },
    secretsKey: config.secretsKey,
    stores: running.stores,
    service: running.service,
    startAnother: running.startAnother,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type TestProjects = Awaited<ReturnType<typeof startTestProjects>>;

export async function newOwner(running: TestProjects, videoLimit?: number): Promise<string> {
  const { user } = await running.operator.createUser({ userName: 'An owner', videoLimit });
  return user!.userId;
}

export type NewProject = Partial<Omit<CreateProjectRequest, 'settings'>> & { settings?: Partial<ProjectSettings> };

export function creation(ownerId: string, given: NewProject = {}): CreateProjectRequest {
  return {
    ownerId,
    count: 1,
    expiresInSeconds: 3_600,
    webhookSecret: '',
    idempotencyKey: '',
    bodyHash: randomBytes(32),
    ...given,
    settings: projectSettings(given.settings),
  };
}

export async function newProject(
  running: TestProjects,
  given: NewProject = {},
  ownerId?: string,
): Promise<CreateProjectResponse> {
  return await running.projects.createProject(creation(ownerId ?? (await newOwner(running)), given));
}

type Change = Partial<Settings> & Pick<UpdateProjectRequest, 'expiry' | 'webhookSecret'>;

/** Returns a request that names a project, with the settings to change. */
export function patch(
  project: Pick<Project, 'ownerId' | 'projectId'> | undefined,
  { expiry, webhookSecret, ...settings }: Change,
) {
  const { ownerId, projectId } = project!;
  const update = { values: projectSettings(settings), names: Object.keys(settings) };
  return { ownerId, projectId, expiry, webhookSecret, settings: update };
}

/** Returns a session id in the form that a contributor's page uses. */
export const session = (): string => randomUUID();

/** Retries a call that fails because the service is busy, as a client does. The calls may be repeated. */
async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const busy = isOutage(error) || (error instanceof DomainError && error.code === 'unavailable');
      if (tries === 5 || !busy) throw error;
    }
  }
}

export async function begin(
  running: TestProjects,
  linkId: string,
  responseSessionId = session(),
  termsAccepted = false,
) {
  const link = await withRetries(async () => await running.store.models.links.findById(linkId).lean());
  const { projectId = session() } = link ?? {};
  const { response } = await withRetries(() =>
    running.projects.beginResponse({ linkId, projectId, responseSessionId, termsAccepted }),
  );
  return response!;
}

export async function land(
  running: TestProjects,
  linkId: string,
  responseSessionId: string,
  questionIndex = 0,
  submissionId = session(),
) {
  return await withRetries(() => running.projects.landClip({ linkId, responseSessionId, questionIndex, submissionId }));
}

/**
 * Returns the counters of a link when no transfer of the link is running. `left`: the number of ids that a crash has
 * left in the link.
 */
export async function counters(running: TestProjects, linkId: string, left = 0) {
  const link = await until(
    'no transfer is under way',
    async () => {
      // Reads the link last: if it were read before the last transfer ended, its counters would be old.
      const open = await running.store.models.responses.countDocuments({ linkId, transfer: { $exists: true } });
      const found = await running.store.models.links.findById(linkId).lean();
      if (!found) throw new Error('no such link');
      return open === 0 && found.applied.length === left && found;
    },
    { limitMs: 30_000 },
  );
  const { claimed, landed, submissionCount, applied } = link;
  return { claimed, landed, submissionCount, applied: applied.length };
}

/** For assert.rejects: accepts a DomainError that has this code and a matching sentence. */
export function refusedAs(code: ErrorCode, sentence = /./) {
  return (error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
    if (error.code !== code || !sentence.test(error.message)) {
      throw new Error(`expected ${code} ${sentence}, got ${error.code} "${error.message}"`);
    }
    return true;
  };
}

/** Counts the results of calls: `ok` or the error's code. */
export async function outcomes(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    const key = result.status === 'fulfilled' ? 'ok' : ((result.reason as DomainError).code ?? String(result.reason));
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
