import type { Connection } from 'mongoose';

/**
 * Returns the time of the database's clock. The clocks of processes may differ by seconds, or by days if one is set
 * wrong.
 */
export async function databaseNow({ db }: { db: Connection }): Promise<Date> {
  const { localTime } = await db.db!.command({ hello: 1 });
  return localTime as Date;
}
