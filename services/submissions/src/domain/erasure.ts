/** The counts of the data that an erasure removed, or would remove. */
export interface Tally {
  submissions: number;
  uploads: number;
  notes: number;
  objects: number;
  /** Equals `objects`, unless the bucket keeps versions. */
  objectVersions: number;
  objectBytes: number;
  deadLetters: number;
  /** References that responses on shared links stated; the projects service stores them. */
  references: number;
  /** People of unique links; the projects service stores them too. */
  people: number;
}

export const NOTHING: Tally = {
  submissions: 0,
  uploads: 0,
  notes: 0,
  objects: 0,
  objectVersions: 0,
  objectBytes: 0,
  deadLetters: 0,
  references: 0,
  people: 0,
};

/** The result of one bounded step of an erasure; `done` is true when nothing is left. */
export interface ErasedPart {
  tally: Tally;
  done: boolean;
}

/** The part of the counts that comes from the object store. */
export const tallyOf = (held: { objects: number; versions: number; bytes: number }): Partial<Tally> => ({
  objects: held.objects,
  objectVersions: held.versions,
  objectBytes: held.bytes,
});

export function sumOf(tallies: Array<Partial<Tally>>): Tally {
  const sum = { ...NOTHING };
  for (const tally of tallies) {
    for (const name of Object.keys(NOTHING) as Array<keyof Tally>) sum[name] += tally[name] ?? 0;
  }
  return sum;
}

const STEP = 8;

/**
 * Returns when to purge late results next: first after the longest possible job, then at growing intervals, and last
 * when the tombstone expires. Returns undefined when the tombstone has expired.
 */
export function nextPurge(
  erasedAt: Date,
  now: Date,
  { againMs, tombstoneMs }: { againMs: number; tombstoneMs: number },
): Date | undefined {
  const age = now.getTime() - erasedAt.getTime();
  if (age >= tombstoneMs) return undefined;
  return new Date(erasedAt.getTime() + (age < againMs ? againMs : Math.min(tombstoneMs, age * STEP)));
}
