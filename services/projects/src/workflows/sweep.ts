import type { Store } from '../store/store.ts';

const BATCH = 200;

/** Gives back claims without any byte whose time is over. Returns how many. */
export async function sweepEmptyClaims(store: Store, now: Date): Promise<number> {
  let released = 0;
  for (;;) {
    const over = await store.responses.emptyClaims(now, BATCH);
    let changed = 0;
    for (const { _id } of over) {
      const expected = { use: 'held', answers: 0, emptyAndOverBy: now } as const;
      const transfer = store.transfers.make('release', new Date());
      const begun = await store.responses.beginTransfer(_id, expected, { use: 'released' }, transfer);
      if (!begun) continue;
      await store.transfers.execute(begun);
      changed++;
    }
    released += changed;
    // A round that changed nothing has only claims that are busy: the next sweep sees them again.
    if (over.length < BATCH || changed === 0) return released;
  }
}

/** One turn: what crashes left half done, and what ran out. */
export async function sweep(store: Store): Promise<void> {
  const parts = [
    store.transfers.sweep(new Date()),
    store.sharedUses.sweep(),
    sweepEmptyClaims(store, new Date()),
    store.erasures.sweep(new Date()),
  ];
  const results = await Promise.allSettled<unknown>(parts);
  const errors = results.filter(result => result.status === 'rejected').map(result => result.reason);
  if (errors.length > 0) throw new AggregateError(errors, 'Parts of the sweep are left to the next one');
}
