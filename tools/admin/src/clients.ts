import { type ClientOptions, createClient } from '@recording-request/kit/grpc-client';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
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
import { addressOf } from './address.ts';

/** Makes clients of the services, each at the address that `env` or a running `npm start` gives; `keep` is given each. */
export function connector(env: NodeJS.ProcessEnv, keep: (client: { close(): void }) => void) {
  const kept = <T extends { close(): void }>(client: T): T => {
    keep(client);
    return client;
  };
  const projects = () => addressOf('projects', env);
  const submissions = () => addressOf('submissions', env);
  const webhooks = () => addressOf('webhooks', env);
  return {
    accounts: async () => kept(createClient<AccountsServiceServer>(AccountsServiceService, await projects())),
    projects: async () => kept(createClient<ProjectsServiceServer>(ProjectsServiceService, await projects())),
    operator: async (options?: ClientOptions) =>
      kept(createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, await projects(), options)),
    submissions: async (options?: ClientOptions) =>
      kept(
        createClient<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService, await submissions(), options),
      ),
    webhooks: async (options?: ClientOptions) =>
      kept(createClient<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService, await webhooks(), options)),
  };
}
