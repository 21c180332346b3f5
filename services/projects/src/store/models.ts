import { indexesOf } from '@recording-request/kit-mongo/indexes';
import type { Connection, Model, Schema } from 'mongoose';
import type { User } from '../domain/user.ts';
import type {
  Erasure,
  HashDocument,
  IdempotencyDocument,
  LinkDocument,
  ProjectDocument,
  ResponseDocument,
  TokenDocument,
} from './documents.ts';
import {
  erasureSchema,
  hashSchema,
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
  responses: Model<ResponseDocument>;
  idempotency: Model<IdempotencyDocument>;
  erasures: Model<Erasure>;
  hashes: Model<HashDocument>;
}

const SCHEMAS = {
  users: userSchema,
  tokens: tokenSchema,
  projects: projectSchema,
  links: linkSchema,
  responses: responseSchema,
  idempotency: idempotencySchema,
  erasures: erasureSchema,
  hashes: hashSchema,
};

/** Every collection with its indexes. A migration builds the indexes. */
export const collections = Object.entries(SCHEMAS).map(([name, schema]) => indexesOf(name, schema));

export function createModels(connection: Connection): Models {
  const models = Object.entries(SCHEMAS).map(([name, schema]) => [name, register(connection, name, schema)]);
  return Object.fromEntries(models) as Models;
}

// Drops the type that Mongoose infers from the schema, because lean() returns records as the domain's types.
function register<T>(connection: Connection, collection: string, schema: unknown): Model<T> {
  return connection.model(collection, schema as Schema, collection) as unknown as Model<T>;
}
