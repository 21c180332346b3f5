import type { Connection } from 'mongoose';
import { type DeliveryQueue, deliveryQueue } from './deliveries.ts';
import { type Endpoints, endpointStore } from './endpoints.ts';
import { type Ledger, ledger } from './ledger.ts';
import { openModels } from './models.ts';

/** The collections of this service. */
export interface Store {
  queue: DeliveryQueue;
  ledger: Ledger;
  endpoints: Endpoints;
}

export async function openStore(connection: Connection, tombstoneSec: number): Promise<Store> {
  const models = await openModels(connection, tombstoneSec);
  return { queue: deliveryQueue(models), ledger: ledger(models), endpoints: endpointStore(models) };
}
