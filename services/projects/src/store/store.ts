import { followDatabase } from '@recording-request/kit-mongo/clock';
import { requireSchema } from '@recording-request/kit-mongo/migrations';
import { connectMongo, type MongoSettings } from '@recording-request/kit-mongo/mongo';
import type { Connection } from 'mongoose';
import { createApiTokens } from './api-tokens.ts';
import { createClaimables } from './claimables.ts';
import { createCodes } from './codes.ts';
import { createErasures } from './erasures.ts';
import { createHashes } from './hashes.ts';
import { createIdempotency, type IdempotencyTimes } from './idempotency.ts';
import { createLinkErasures } from './link-erasures.ts';
import { createLinkPages } from './link-pages.ts';
import { createLinks } from './links.ts';
import { createLogos } from './logos.ts';
import { createModels } from './models.ts';
import { createOutboxFigures } from './outbox.ts';
import { createPeople } from './people.ts';
import { createProjects } from './projects.ts';
import { createReminders } from './reminders.ts';
import { createResponses } from './responses.ts';
import { schema } from './schema-steps.ts';
import { createSealedTexts } from './sealed.ts';
import { createSharedUses } from './shared-uses.ts';
import { type ClientSession, inTransaction, transact, withSession } from './transaction.ts';
import { createTransfers, type TransferOptions } from './transfers.ts';
import { createUsers } from './users.ts';

export interface StoreOptions {
  mongo: MongoSettings;
  idempotency: IdempotencyTimes;
  transfers: TransferOptions;
}

/** Connects. Fails with a StartError if the database lacks a migration of this version. */
export async function openStore(options: StoreOptions) {
  const connection = await connectMongo(options.mongo, 'projects');
  try {
    return await build(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function build(connection: Connection, options: StoreOptions) {
  await requireSchema(connection, schema.steps);
  const models = createModels(connection);
  const clock = await followDatabase(connection, options.transfers.log);
  const transfers = createTransfers(models, options.transfers);
  const users = createUsers(models);
  const hashes = createHashes(models);
  const tokens = createApiTokens(models, hashes);
  const projects = createProjects(models, hashes);
  const links = createLinks(models, hashes);
  const transaction = <T>(work: (session: ClientSession) => Promise<T>, signal?: AbortSignal) =>
    inTransaction(connection, work, { signal });
  return {
    models,
    clock,
    connection,
    users,
    tokens,
    hashes,
    projects,
    links,
    linkPages: createLinkPages(models),
    logos: createLogos(models),
    people: createPeople(models),
    claimables: createClaimables(models, hashes),
    codes: createCodes(hashes),
    responses: createResponses(models),
    idempotency: createIdempotency(models, options.idempotency),
    sealed: createSealedTexts(models),
    transfers,
    transaction,
    transact,
    withSession: <T>(work: (session: ClientSession) => Promise<T>) => withSession(connection, work),
    outbox: createOutboxFigures(models),
    reminders: createReminders(models, transaction),
    linkErasures: createLinkErasures(models),
    erasures: createErasures(models, { users, tokens, hashes }, transaction),
    sharedUses: createSharedUses(models, users, transaction),
    async close(): Promise<void> {
      await clock.stop();
      await transfers.stop();
      await connection.close();
    },
  };
}

/** The store with its models, for tests that check stored records. */
export type OpenStore = Awaited<ReturnType<typeof openStore>>;

/** The service's store. It returns plain objects, not models. */
export type Store = Omit<OpenStore, 'models' | 'clock' | 'connection'>;
