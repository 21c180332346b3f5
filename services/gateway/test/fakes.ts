import { SCOPES } from '@recording-request/contract/resources/fields';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { type GrpcServer, type Handlers, implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { createLogger } from '@recording-request/kit/log';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { type WebhooksServiceServer, WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import { readConfig } from '../src/config.ts';
import { type Gateway, startService } from '../src/service.ts';

/** What the services behind the gateway answer in one test. A call that no handler is given for is a fault, and told. */
export interface Behind {
  accounts?: Partial<Handlers<AccountsServiceServer>>;
  projects?: Partial<Handlers<ProjectsServiceServer>>;
  submissions?: Partial<Handlers<SubmissionsServiceServer>>;
  exports?: Partial<Handlers<ExportsServiceServer>>;
  webhooks?: Partial<Handlers<WebhooksServiceServer>>;
}

export interface Bench extends AsyncDisposable {
  gateway: Gateway;
  base: string;
  /** A token with every scope; `bearer` is the header for it. */
  bearer: { authorization: string };
  /** Makes a token with these scopes. */
  tokenWith(scopes: string[]): string;
  revoke(token: string): void;
  /** The RPCs that were made, by name, but for the authentications. */
  calls: string[];
  authentications(): number;
  /** Answers for the next calls. */
  behind: Behind;
}

export const OWNER_ID = '019a0000-0000-7000-8000-000000000001';
export const PROJECT_ID = '019a0000-0000-7000-8000-000000000002';
export const SUBMISSION_ID = '019a0000-0000-7000-8000-000000000003';
const log = createLogger('test', 'silent');

/** The gateway as production starts it, over real gRPC servers that answer what the test says. */
export async function startBench(behind: Behind = {}, env: NodeJS.ProcessEnv = {}): Promise<Bench> {
  const calls: string[] = [];
  const tokens = new Map<string, string[]>();
  let authentications = 0;
  const accounts: Behind['accounts'] = {
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
  const bound = (definition: object, room: keyof Behind) =>
    implement(
      definition,
      Object.fromEntries(
        Object.keys(definition).map(name => [
          name,
          (request: unknown, context: unknown) => {
            const handler =
              (behind[room] as Record<string, unknown> | undefined)?.[name] ??
              (room === 'accounts' ? (accounts as Record<string, unknown>)[name] : undefined);
            if (name !== 'authenticate') calls.push(name);
            if (typeof handler !== 'function') throw new DomainError('not_found', `${name} is not there.`);
            return handler(request, context);
          },
        ]),
      ) as never,
    );
  const rpc: GrpcServer = await startGrpcServer({
    listen: '127.0.0.1:0',
    log,
    services: [
      bound(AccountsServiceService, 'accounts'),
      bound(ProjectsServiceService, 'projects'),
      bound(SubmissionsServiceService, 'submissions'),
      bound(ExportsServiceService, 'exports'),
      bound(WebhooksServiceService, 'webhooks'),
    ],
  });
  const config = readConfig({
    HTTP_LISTEN: '127.0.0.1:0',
    GRPC_LISTEN: '127.0.0.1:0',
    PUBLIC_BASE_URL: 'https://rec.example',
    PROJECTS_GRPC: rpc.address,
    SUBMISSIONS_GRPC: rpc.address,
    WEBHOOKS_GRPC: rpc.address,
    SUBMISSIONS_HTTP: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    EVENT_LOOP_DELAY_LIMIT_MS: '0',
    ...env,
  });
  const gateway = await startService(config, log).catch(async error => {
    await rpc.close(0);
    throw error;
  });
  const tokenWith = (scopes: string[]) => {
    const token = mintToken('api');
    tokens.set(hashToken(token).toString('hex'), scopes);
    return token;
  };
  return {
    gateway,
    base: gateway.address,
    bearer: { authorization: `Bearer ${tokenWith([...SCOPES])}` },
    tokenWith,
    revoke: token => void tokens.delete(hashToken(token).toString('hex')),
    calls,
    authentications: () => authentications,
    behind,
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await rpc.close(0);
    },
  };
}

export const asProject = (name = 'Stories') => ({
  projectId: PROJECT_ID,
  ownerId: OWNER_ID,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  settings: {
    projectName: name,
    maxDurationSec: 120,
    transcriptionEnabled: true,
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
  },
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
