import { randomBytes, randomUUID } from 'node:crypto';
import { DomainError, type ErrorCode } from '@recording-request/kit/errors';
import { type ClientOf, createClient } from '@recording-request/kit/grpc-client';
import { createLogger } from '@recording-request/kit/log';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type CreateProjectRequest,
  type CreateProjectResponse,
  type ProjectSettings,
  type ProjectsServiceServer,
  ProjectsServiceService,
  type UpdateProjectRequest,
} from '@recording-request/proto/projects/v1/projects';
import { testEnvironment } from '@recording-request/testing/environment';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';
import { openStore, type Store } from '../src/store/store.ts';

export interface Running extends AsyncDisposable {
  accounts: ClientOf<AccountsServiceServer>;
  projects: ClientOf<ProjectsServiceServer>;
  operator: ClientOf<ProjectsOperatorServiceServer>;
  /** A second connection to the same database, as another replica has. */
  store: Store;
}

/** The service as production starts it, on a database of its own. Its sweeper sleeps unless told otherwise. */
export async function runService(extra: Record<string, string> = {}): Promise<Running> {
  const { env } = testEnvironment({ CLAIM_SWEEP_SECONDS: '3600', ...extra });
  const config = readConfig(env);
  const log = createLogger('projects', config.logLevel);
  const service = await startService(config, log);
  const store = await openStore({
    mongo: config,
    idempotency: { keepMs: 60_000, leaseMs: 60_000 },
    transfers: { leaseMs: config.claimLeaseMs, settleDelayMs: 5, log },
  });
  const accounts = createClient<AccountsServiceServer>(AccountsServiceService, service.grpcAddress, {
    deadlineMs: 30_000,
  });
  const projects = createClient<ProjectsServiceServer>(ProjectsServiceService, service.grpcAddress, {
    deadlineMs: 30_000,
  });
  const operator = createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, service.grpcAddress, {
    deadlineMs: 30_000,
  });
  return {
    accounts,
    projects,
    operator,
    store,
    async [Symbol.asyncDispose]() {
      accounts.close();
      projects.close();
      operator.close();
      await service.stop();
      await store.models.users.db.dropDatabase();
      await store.close();
    },
  };
}

export async function newOwner(running: Running, videoLimit?: number): Promise<string> {
  const { user } = await running.operator.createUser({ userName: 'An owner', videoLimit });
  return user!.userId;
}

export const SETTINGS: ProjectSettings = {
  projectName: 'A project',
  maxDurationSec: 0,
  transcriptionEnabled: false,
  noteEnabled: false,
  requestUrl: '',
  webhookUrl: '',
  requireTerms: false,
  termsLabel: '',
  termsText: '',
  interviewQuestions: [],
  showSuccessDialog: false,
  successMessage: '',
  sharedLinkEnabled: false,
};

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
    settings: { ...SETTINGS, ...given.settings },
  };
}

export async function newProject(
  running: Running,
  given: NewProject = {},
  ownerId?: string,
): Promise<CreateProjectResponse> {
  return await running.projects.createProject(creation(ownerId ?? (await newOwner(running)), given));
}

export function patch(project: CreateProjectResponse['project'], change: Partial<UpdateProjectRequest>) {
  return { ownerId: project!.ownerId, projectId: project!.projectId, ...change };
}

/** A session id as a contributor's page makes one. */
export const session = (): string => randomUUID();

/** As a caller does: what is too busy is asked again, which these calls allow as often as one likes. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === 5 || !(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    }
  }
}

export async function begin(running: Running, linkId: string, responseSessionId = session(), termsAccepted = false) {
  const { response } = await patiently(() =>
    running.projects.beginResponse({ linkId, responseSessionId, termsAccepted }),
  );
  return response!;
}

export async function land(
  running: Running,
  linkId: string,
  responseSessionId: string,
  questionIndex = 0,
  submissionId = session(),
) {
  return await patiently(() => running.projects.landClip({ linkId, responseSessionId, questionIndex, submissionId }));
}

/** The counters of a link once no transfer is under way in it. */
export async function counters(running: Running, linkId: string) {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    // The link last: what is read before the last transfer has gone is of the time before it.
    const open = await running.store.models.responses.countDocuments({ linkId, transfer: { $exists: true } });
    const link = await running.store.models.links.findById(linkId).lean();
    if (!link) throw new Error('no such link');
    if (Date.now() > giveUpAt) throw new Error(`${open} transfers are still under way`);
    if (open === 0) {
      const { claimed, landed, submissionCount } = link;
      return { claimed, landed, submissionCount, applied: link.applied.length };
    }
  }
}

/** For assert.rejects: a DomainError of this code whose sentence matches. */
export function refusedAs(code: ErrorCode, sentence = /./) {
  return (error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
    if (error.code !== code || !sentence.test(error.message)) {
      throw new Error(`expected ${code} ${sentence}, got ${error.code} "${error.message}"`);
    }
    return true;
  };
}

/** How many calls ended in each way: `ok` or the error's code. */
export async function outcomes(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    const key = result.status === 'fulfilled' ? 'ok' : ((result.reason as DomainError).code ?? String(result.reason));
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
