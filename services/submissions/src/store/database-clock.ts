import type { Models } from './models.ts';

/** Returns the time of the database's clock: those of the processes may differ by seconds. */
export async function databaseNow(submissions: Models['submissions']): Promise<Date> {
  const { localTime } = await submissions.db.db!.command({ hello: 1 });
  return localTime as Date;
}
