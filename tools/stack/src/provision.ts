import { SCOPES } from '@recording-request/contract/resources/fields';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import type { MachineCertificates } from './certificates.ts';
import type { Cluster } from './cluster.ts';

/** The result of a first run: an owner's API token with every scope and no quota. */
export interface Provisioned {
  apiToken: string;
}

// The service has just started, so its first calls are slow: they open connections and build indexes.
const DEADLINE_MS = 15_000;

/** Creates the first owner and their token through the ProjectsOperatorService. Rejects when the service refuses. */
export async function provision(
  cluster: Pick<Cluster, 'services'> & { certificates: Pick<MachineCertificates, 'env'> },
): Promise<Provisioned> {
  using internal = await openCaller(cluster.certificates.env('operator'), 'operator');
  const operator = createClient<ProjectsOperatorServiceServer>(
    ProjectsOperatorServiceService,
    cluster.services.projects.operator!,
    internal.peer('projects'),
    { deadlineMs: DEADLINE_MS },
  );
  try {
    const { user } = await operator.createUser({ userName: 'First owner' });
    if (!user) throw new Error('No owner was made: the response of the ProjectsOperatorService has none.');
    const { secret } = await operator.createApiToken({
      userId: user.userId,
      label: 'first token',
      scopes: [...SCOPES],
      expiresAt: undefined,
    });
    return { apiToken: secret };
  } finally {
    operator.close();
  }
}
