import { SCOPES } from '@recording-request/contract/resources/fields';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { type WebhooksServiceServer, WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import { fakeService, startFakeServices } from '@recording-request/testing/fake-services';
import { projectSettings } from '@recording-request/testing/project-settings';
import { startTestService } from '@recording-request/testing/test-service';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';

/** The answers of the services behind the gateway in one test. A call that has no handler fails with `not_found`. */
export interface FakeServices {
  accounts?: Partial<Handlers<AccountsServiceServer>>;
  projects?: Partial<Handlers<ProjectsServiceServer>>;
  submissions?: Partial<Handlers<SubmissionsServiceServer>>;
  exports?: Partial<Handlers<ExportsServiceServer>>;
  webhooks?: Partial<Handlers<WebhooksServiceServer>>;
}

export const OWNER_ID = '019a0000-0000-7000-8000-000000000001';
export const PROJECT_ID = '019a0000-0000-7000-8000-000000000002';
export const SUBMISSION_ID = '019a0000-0000-7000-8000-000000000003';

/** Starts the gateway as in production, with real gRPC servers that return the test's answers. */
export async function startTestGateway(
  behind: FakeServices = {},
  env: Record<string, string> = {},
  { log }: { log?: Logger } = {},
) {
  const calls: string[] = [];
  const tokens = new Map<string, string[]>();
  let authentications = 0;
  const accounts: FakeServices['accounts'] = {
    async authenticate({ tokenHash }) {
      authentications++;
      const scopes = tokens.get(Buffer.from(tokenHash).toString('hex'));
      if (!scopes) throw new DomainError('not_found', 'There is no such token.');
      return {
        user: { userId: OWNER_ID, userName: 'Ada', videosReserved: 1, createdAt: new Date(0) },
        token: { apiTokenId: OWNER_ID, userId: OWNER_ID, label: 'test', scopes, createdAt: new Date(0) },
      };
    },
  };
  await using starting = new AsyncDisposableStack();
  const rpc = await startFakeServices(
    [
      fakeService<AccountsServiceServer>(AccountsServiceService, () => ({ ...accounts, ...behind.accounts })),
      fakeService<ProjectsServiceServer>(ProjectsServiceService, () => behind.projects ?? {}),
      fakeService<SubmissionsServiceServer>(SubmissionsServiceService, () => behind.submissions ?? {}),
      fakeService<ExportsServiceServer>(ExportsServiceService, () => behind.exports ?? {}),
      fakeService<WebhooksServiceServer>(WebhooksServiceService, () => behind.webhooks ?? {}),
    ],
    name => {
      if (name !== 'authenticate') calls.push(name);
    },
  );
  starting.defer(() => rpc.close(0));
  const running = starting.use(
    await startTestService({
      name: 'gateway',
      readConfig,
      startService,
      environment: { name: 'gateway', env: { ...VARIABLES, ...neighbours(rpc.address), ...env } },
      ...(log && { log }),
    }),
  );
  const tokenWith = (scopes: string[]) => {
    const token = mintToken('api');
    tokens.set(hashToken(token).toString('hex'), scopes);
    return token;
  };
  const started = starting.move();
  return {
    gateway: running.service,
    config: running.config,
    base: running.service.address,
    bearer: { authorization: `Bearer ${tokenWith([...SCOPES])}` },
    /** Makes a token with these scopes. */
    tokenWith,
    revoke: (token: string) => void tokens.delete(hashToken(token).toString('hex')),
    /** The names of the RPCs called so far, without the authentications. */
    calls,
    authentications: () => authentications,
    /** Sets the answers to the next calls. */
    behind,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

// With these variables the gateway needs no other server; the environment of the process is not used.
const VARIABLES = {
  HTTP_LISTEN: '127.0.0.1:0',
  HEALTH_LISTEN: '127.0.0.1:0',
  PUBLIC_BASE_URL: 'https://rec.example',
  SUBMISSIONS_HTTP: 'https://127.0.0.1:9',
  LOG_LEVEL: 'silent',
  EVENT_LOOP_DELAY_LIMIT_MS: '0',
};
const neighbours = (address: string) => ({
  PROJECTS_GRPC: address,
  SUBMISSIONS_GRPC: address,
  WEBHOOKS_GRPC: address,
});

export const asProject = (name = 'Stories') => ({
  projectId: PROJECT_ID,
  ownerId: OWNER_ID,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  webhookSigned: false,
  settings: projectSettings({ projectName: name, maxDurationSec: 120, transcriptionEnabled: true }),
  linkStats: {
    uniqueLinksTotal: 1,
    uniqueLinksRemaining: 1,
    sharedLinksTotal: 0,
    sharedUsesRemaining: 0,
    totalResponseCapacity: 1,
    responseSlotsUsed: 0,
    responseSlotsRemaining: 1,
  },
});
