import { createClient } from '@recording-request/kit/grpc-client';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import type { Cluster } from './cluster.ts';

/** What the first run makes: an owner's API token with every scope and no allowance limit. */
export interface Provisioned {
  apiToken: string;
}

const SCOPES = ['profile:read', 'projects:read', 'projects:write', 'links:read', 'submissions:read'];
// The service was just started: its first calls open connections and indexes.
const DEADLINE_MS = 15_000;

/** Creates the first owner and their token through the AccountsService of `projects`. Rejects when that service refuses. */
export async function provision(cluster: Pick<Cluster, 'services'>): Promise<Provisioned> {
  const { grpc } = cluster.services.projects;
  const accounts = createClient<AccountsServiceServer>(AccountsServiceService, grpc, { deadlineMs: DEADLINE_MS });
  try {
    const { user } = await accounts.createUser({ userName: 'First owner' });
    if (!user) throw new Error('No owner was made: the AccountsService answered without one.');
    const { secret } = await accounts.createToken({
      userId: user.userId,
      label: 'first token',
      scopes: SCOPES,
      expiresAt: undefined,
    });
    return { apiToken: secret };
  } finally {
    accounts.close();
  }
}
