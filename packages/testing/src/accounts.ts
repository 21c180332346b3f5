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

/** The operator's door to accounts, as the command line uses it. */
export interface Accounts extends Disposable {
  /** Returns the id of the new user. */
  createUser(userName: string, videoLimit?: number): Promise<string>;
  createToken(userId: string, options?: { scopes?: readonly string[]; expiresAt?: Date }): Promise<Token>;
  revoke(tokenId: string): Promise<void>;
}

const DEADLINE_MS = 20_000;

/** Connects to the projects service at `target`. */
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
      const made = await client.createApiToken({ userId, label: 'a test', scopes: [...scopes], expiresAt });
      return { tokenId: made.token!.apiTokenId, secret: made.secret };
    },
    async revoke(tokenId) {
      await client.revokeApiToken({ apiTokenId: tokenId });
    },
    [Symbol.dispose]: () => client.close(),
  };
}
