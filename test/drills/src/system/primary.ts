import mongoose from 'mongoose';

const LIMITS = { serverSelectionTimeoutMS: 5_000, connectTimeoutMS: 5_000, socketTimeoutMS: 30_000 };
/** Longer than a drill; it ends sooner. */
const AWAY_SECONDS = 600;

/** Has the one member of a replica set give up being its primary. It answers, and nobody is elected. */
export async function stepDown(mongoUrl: string): Promise<void> {
  await command(mongoUrl, { replSetStepDown: AWAY_SECONDS, force: true });
}

/** Lets it be elected again, which it is within seconds. */
export async function stepUp(mongoUrl: string): Promise<void> {
  await command(mongoUrl, { replSetFreeze: 0 });
}

async function command(mongoUrl: string, what: mongoose.mongo.Document): Promise<void> {
  const host = new URL(mongoUrl).host;
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, LIMITS);
  try {
    await client.db('admin').command(what);
  } finally {
    await client.close();
  }
}
