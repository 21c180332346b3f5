import { dropIndexes } from '@recording-request/kit/mongo';
import type { Connection, Model, Schema } from 'mongoose';
import type { Response } from '../domain/response.ts';
import type { User } from '../domain/user.ts';
import type { Erasure, IdempotencyDocument, LinkDocument, ProjectDocument, TokenDocument } from './documents.ts';
import {
  erasureSchema,
  idempotencySchema,
  linkSchema,
  projectSchema,
  responseSchema,
  tokenSchema,
  userSchema,
} from './schemas.ts';

export interface Models {
  users: Model<User>;
  tokens: Model<TokenDocument>;
  projects: Model<ProjectDocument>;
  links: Model<LinkDocument>;
  responses: Model<Response>;
  idempotency: Model<IdempotencyDocument>;
  erasures: Model<Erasure>;
}

/** Registers every collection and waits until each of its indexes is there. */
export async function createModels(connection: Connection): Promise<Models> {
  const models: Models = {
    users: register(connection, 'users', userSchema),
    tokens: register(connection, 'tokens', tokenSchema),
    projects: register(connection, 'projects', projectSchema),
    links: register(connection, 'links', linkSchema),
    responses: register(connection, 'responses', responseSchema),
    idempotency: register(connection, 'idempotency', idempotencySchema),
    erasures: register(connection, 'erasures', erasureSchema),
  };
  for (const model of Object.values(models)) {
    await model.createCollection();
    await model.createIndexes();
  }
  // What the index `unique_links` has and more.
  await dropIndexes(models.links.collection, ['unique_link_stats']);
  return models;
}

// The schema's own inference is dropped: records come back through lean() as the domain's types.
function register<T>(connection: Connection, collection: string, schema: unknown): Model<T> {
  return connection.model(collection, schema as Schema, collection) as unknown as Model<T>;
}
