import { mongo } from 'mongoose';

/**
 * Writes `count` documents in any order. Returns an error for each document, or undefined if it was written. Rejects if
 * the outcomes are unknown.
 */
export async function writeErrorsOf(
  count: number,
  write: () => Promise<unknown>,
): Promise<(mongo.WriteError | undefined)[]> {
  const errors = new Map<number, mongo.WriteError>();
  try {
    await write();
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
    for (const each of [error.writeErrors].flat()) errors.set(each.index, each);
    if (errors.size === 0) throw error;
  }
  return Array.from({ length: count }, (_, index) => errors.get(index));
}
