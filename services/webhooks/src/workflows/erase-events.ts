import type { Context } from '../context.ts';
import type { Erasable } from '../store/erasable.ts';
import type { ErasedPayloads } from '../store/ledger.ts';

type EraseContext = Pick<Context, 'clock' | 'store'>;

/** The removed bodies of deliveries, and the events of the feed whose data was removed. */
export interface ErasedEvents extends ErasedPayloads {
  events: number;
}

/** Removes the bodies and the data of the events. Its tombstone makes the service also remove those of later events. */
export async function eraseEvents({ clock, store }: EraseContext, which: Erasable): Promise<ErasedEvents> {
  // Also writes the tombstone, which the feed reads too.
  const payloads = await store.ledger.erase(which, clock.now());
  const erased = { ...payloads, events: await store.feed.erase(which) };
  await store.ledger.addErased(which, erased);
  return erased;
}

/** Does the same for all events of a project, and removes the health of its endpoint. */
export async function eraseProjectEvents(context: EraseContext, projectId: string): Promise<ErasedEvents> {
  const erased = await eraseEvents(context, { projectId });
  await context.store.endpoints.remove(projectId);
  return erased;
}

/** Counts what an erasure would remove. */
export async function tallyEvents({ store }: Pick<Context, 'store'>, which: Erasable): Promise<ErasedEvents> {
  const [payloads, events] = await Promise.all([store.ledger.tally(which), store.feed.tally(which)]);
  return { ...payloads, events };
}
