import type { Constellation } from './constellation.ts';

/** What the first run makes: an owner's API token with every scope and no allowance limit. */
export interface Provisioned {
  apiToken: string;
}

/** Creates the first owner and their token through the AccountsService of `projects`. Rejects when that service refuses. */
export async function provision(constellation: Pick<Constellation, 'services'>): Promise<Provisioned> {
  throw new Error(
    `No owner was made: the AccountsService at ${constellation.services.projects.grpc} is not called yet.`,
  );
}
