import type { Context } from '../context.ts';
import type { ErasedPayloads } from '../store/ledger.ts';

type EraseContext = Pick<Context, 'clock' | 'store'>;

/** The removed bodies of deliveries, and the events of the feed whose data was removed. */
export interface ErasedEvents extends ErasedPayloads {
  events: number;
}

/** Removes the bodies and the data of a submission's events, also of those that arrive later. */
export async function eraseSubmissionEvents(
  { clock, store }: EraseContext,
  projectId: string,
  submissionId: string,
): Promise<ErasedEvents> {
  // Writes the tombstone, which the feed reads too.
  const erased = await store.ledger.erase(projectId, submissionId, clock.now());
  return { ...erased, events: await store.feed.erase({ projectId, submissionId }) };
}

/** Does the same for all events of a project. */
export async function eraseProjectEvents({ clock, store }: EraseContext, projectId: string): Promise<ErasedEvents> {
  const erased = await store.ledger.eraseProject(projectId, clock.now());
  return { ...erased, events: await store.feed.erase({ projectId }) };
}

/** Counts what an erasure would remove. */
export async function tallyEvents(
  { store }: Pick<Context, 'store'>,
  which: { projectId: string; submissionId?: string },
): Promise<ErasedEvents> {
  const [payloads, events] = await Promise.all([store.ledger.tally(which), store.feed.tally(which)]);
  return { ...payloads, events };
}
