import type { Context } from '../context.ts';

type Deps = Pick<Context, 'store' | 'clock'>;

const BATCH = 200;

/** Releases claims that have expired and have no byte. Returns the number of released claims. */
export async function sweepEmptyClaims({ store, clock }: Deps, now: Date): Promise<number> {
  let released = 0;
  for (;;) {
    const over = await store.responses.emptyClaims(now, BATCH);
    let changed = 0;
    for (const { _id } of over) {
      const expected = { use: 'held', answers: 0, emptyAndOverBy: now } as const;
      const transfer = store.transfers.make('release', clock.now());
      const begun = await store.responses.beginTransfer(_id, expected, { use: 'released' }, transfer);
      if (!begun) continue;
      await store.transfers.execute(begun);
      changed++;
    }
    released += changed;
    // Stops after a round without changes: it found only busy claims, and the next sweep checks these again.
    if (over.length < BATCH || changed === 0) return released;
  }
}

/** Finishes interrupted erasures, and removes late records. */
export async function sweepErasures({ store: { erasures } }: Pick<Deps, 'store'>, now: Date): Promise<void> {
  for (const erasure of await erasures.due(now)) {
    if (erasure.kind === 'project') await erasures.removeProject(erasure);
    else await erasures.removeUserRecords(erasure._id);
    await erasures.settle(erasure._id);
  }
}

/** Runs one round: finishes work that crashes interrupted, and releases expired claims. */
export async function sweep(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const parts = [
    deps.store.transfers.sweep(now),
    deps.store.sharedUses.sweep(),
    sweepEmptyClaims(deps, now),
    sweepErasures(deps, now),
  ];
  const results = await Promise.allSettled<unknown>(parts);
  const errors = results.filter(result => result.status === 'rejected').map(result => result.reason);
  if (errors.length > 0) throw new AggregateError(errors, 'Parts of the sweep are left to the next one');
}
