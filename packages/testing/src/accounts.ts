import { SCOPES } from '@recording-request/contract/resources/fields';
import { createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Internal } from '@recording-request/kit-rpc/internal/internal';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';

export interface Token {
  tokenId: string;
  secret: string;
}

/** A client that manages accounts through the operator's listener, like the command line. */
export interface Accounts extends Disposable {
  /** Returns the id of the new user. */
  createUser(userName: string, videoLimit?: number): Promise<string>;
  createToken(userId: string, options?: { scopes?: readonly string[]; expiresAt?: Date }): Promise<Token>;
  revoke(tokenId: string): Promise<void>;
}

const DEADLINE_MS = 20_000;

/** Connects to the operator's listener of the projects service at `target`, as `operator`. */
export function connectAccounts(target: string, operator: Internal): Accounts {
  const peer = operator.peer('projects');
  const client = createClient<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, target, peer, {
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
