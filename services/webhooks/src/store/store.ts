import { requireSchema } from '@recording-request/kit-mongo/migrations';
import type { Connection } from 'mongoose';
import { type DeliveryQueue, deliveryQueue } from './deliveries.ts';
import { type Endpoints, endpointStore } from './endpoints.ts';
import { type FeedStore, feedStore } from './feed.ts';
import { type FigureStore, figureStore } from './figures.ts';
import { type Ledger, ledger } from './ledger.ts';
import { openModels } from './models.ts';
import { steps } from './schema-steps.ts';
import { createSealedTexts, type SealedTexts } from './sealed.ts';
import { type SendingStore, sendingStore } from './sending.ts';

/** The collections of this service. */
export interface Store {
  queue: DeliveryQueue;
  ledger: Ledger;
  endpoints: Endpoints;
  figures: FigureStore;
  sending: SendingStore;
  sealed: SealedTexts;
  feed: FeedStore;
}

/** Rejects with a StartError when the database lacks a migration that this version needs. */
export async function openStore(connection: Connection): Promise<Store> {
  await requireSchema(connection, steps);
  const models = openModels(connection);
  return {
    queue: deliveryQueue(models),
    ledger: ledger(models),
    endpoints: endpointStore(models),
    figures: figureStore(models),
    sending: sendingStore(models),
    sealed: createSealedTexts(models),
    feed: feedStore(models),
  };
}
