import { type ClientOf, createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Internal } from '@recording-request/kit-rpc/internal/internal';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { mayRepeat } from '@recording-request/proto/repeatable';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { type WebhooksServiceServer, WebhooksServiceService } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Config } from '../config.ts';

/** The services behind the gateway. */
export interface Services {
  accounts: ClientOf<AccountsServiceServer>;
  projects: ClientOf<ProjectsServiceServer>;
  submissions: ClientOf<SubmissionsServiceServer>;
  exports: ClientOf<ExportsServiceServer>;
  webhooks: ClientOf<WebhooksServiceServer>;
  /** Resolves when one replica of each service is connected, or after `limitMs` at the latest. */
  connected(limitMs: number): Promise<void>;
  close(): void;
}

// The maximum number of bytes that wait in this process for each reader of an export. Messages that the reader already
// got do not count.
const EXPORT_WINDOW_BYTES = 256 * 1024;

export function connectServices(
  config: Pick<Config, 'projectsGrpc' | 'submissionsGrpc' | 'webhooksGrpc'>,
  internal: Internal,
): Services {
  const projects = internal.peer('projects');
  const submissions = internal.peer('submissions');
  const clients = {
    accounts: createClient<AccountsServiceServer>(AccountsServiceService, config.projectsGrpc, projects, { mayRepeat }),
    projects: createClient<ProjectsServiceServer>(ProjectsServiceService, config.projectsGrpc, projects, { mayRepeat }),
    submissions: createClient<SubmissionsServiceServer>(
      SubmissionsServiceService,
      config.submissionsGrpc,
      submissions,
      {
        mayRepeat,
      },
    ),
    exports: createClient<ExportsServiceServer>(ExportsServiceService, config.submissionsGrpc, submissions, {
      mayRepeat,
      slowReaders: { windowBytes: EXPORT_WINDOW_BYTES },
    }),
    webhooks: createClient<WebhooksServiceServer>(
      WebhooksServiceService,
      config.webhooksGrpc,
      internal.peer('webhooks'),
      { mayRepeat },
    ),
  };
  return {
    ...clients,
    async connected(limitMs) {
      await Promise.all(Object.values(clients).map(client => client.connected(limitMs)));
    },
    close() {
      for (const client of Object.values(clients)) client.close();
    },
  };
}
