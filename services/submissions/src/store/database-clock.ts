import type { Connection } from 'mongoose';

/** Returns the time of the database's clock: those of the processes may differ, by seconds or where one is set wrong by days. */
export async function databaseNow({ db }: { db: Connection }): Promise<Date> {
  const { localTime } = await db.db!.command({ hello: 1 });
  return localTime as Date;
}
