import { type ClientOf, type ClientOptions, createClient } from '@recording-request/kit-rpc/grpc-client';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { OPERATOR } from '@recording-request/proto/callers';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { operatorTargetOf, type ServiceName } from './address.ts';

/**
 * Returns functions that make clients of the services. The addresses come from `env` or from the `npm start` that runs
 * on `dataDir`. The clients stay open until `clients` is disposed of.
 */
export function connector(env: NodeJS.ProcessEnv, clients: DisposableStack, dataDir?: string) {
  const connect = async <S>(
    service: ServiceName,
    definition: object,
    options?: ClientOptions,
  ): Promise<ClientOf<S>> => {
    const { address, certificate } = await operatorTargetOf(service, env, dataDir);
    const operator = clients.use(await openCaller(certificate, OPERATOR));
    const client = createClient<S>(definition, address, operator.peer(service), options);
    return clients.adopt(client, each => each.close());
  };
  return {
    accounts: () => connect<AccountsServiceServer>('projects', AccountsServiceService),
    projects: () => connect<ProjectsServiceServer>('projects', ProjectsServiceService),
    operator: (options?: ClientOptions) =>
      connect<ProjectsOperatorServiceServer>('projects', ProjectsOperatorServiceService, options),
    submissions: (options?: ClientOptions) =>
      connect<SubmissionsOperatorServiceServer>('submissions', SubmissionsOperatorServiceService, options),
    webhooks: (options?: ClientOptions) =>
      connect<WebhooksOperatorServiceServer>('webhooks', WebhooksOperatorServiceService, options),
  };
}
