import { SCOPES } from '@recording-request/contract/resources/fields';
import { createClient } from '@recording-request/kit/grpc-client';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';

export interface Token {
  tokenId: string;
  secret: string;
}

/** What the operator's command line does. */
export interface Accounts {
  createUser(userName: string, videoLimit?: number): Promise<string>;
  createToken(userId: string, options?: { scopes?: readonly string[]; expiresAt?: Date }): Promise<Token>;
  revoke(tokenId: string): Promise<void>;
  close(): void;
}

const DEADLINE_MS = 20_000;

export function connectAccounts(target: string): Accounts {
  const client = createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, target, {
    deadlineMs: DEADLINE_MS,
  });
  return {
    async createUser(userName, videoLimit) {
      const { user } = await client.createUser({ userName, videoLimit });
      return user!.userId;
    },
    async createToken(userId, { scopes = SCOPES, expiresAt } = {}) {
      const made = await client.createApiToken({ userId, label: 'system test', scopes: [...scopes], expiresAt });
      return { tokenId: made.token!.apiTokenId, secret: made.secret };
    },
    async revoke(tokenId) {
      await client.revokeApiToken({ apiTokenId: tokenId });
    },
    close: () => client.close(),
  };
}
