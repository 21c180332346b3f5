import { implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { every, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import type { Config } from './config.ts';
import { openContext } from './context.ts';
import { accountsHandlers, operatorHandlers, projectsHandlers } from './rpc/handlers.ts';
import { sweep } from './workflows/sweep.ts';

export interface ProjectsService extends RunningService {
  /** Where it serves gRPC, `host:port`. */
  grpcAddress: string;
}

/** Opens the context, serves its RPCs and sweeps. */
export async function startService(config: Config, log: Logger): Promise<ProjectsService> {
  const context = await openContext(config, log);
  if (config.allowHttpUrls) log.warn('ALLOW_HTTP_URLS is on: requestUrl and webhookUrl may be plain http');
  const server = await startGrpcServer({
    listen: config.grpcListen,
    services: [
      implement<AccountsServiceServer>(AccountsServiceService, accountsHandlers(context)),
      implement<ProjectsServiceServer>(ProjectsServiceService, projectsHandlers(context)),
      implement<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, operatorHandlers(context)),
    ],
    log,
  }).catch(async error => {
    await context.store.close();
    throw error;
  });
  const sweeper = every(config.claimSweepSeconds * 1000, () => sweep(context), { log, name: 'claims' });
  const stop = () => stopAll([() => sweeper.stop(), () => server.close(), () => context.store.close()]);
  return { grpcAddress: server.address, stop, [Symbol.asyncDispose]: stop };
}
