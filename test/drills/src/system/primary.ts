import mongoose from 'mongoose';

const LIMITS = { serverSelectionTimeoutMS: 5_000, connectTimeoutMS: 5_000, socketTimeoutMS: 30_000 };
/** Longer than a drill, which ends the step-down sooner. */
const AWAY_SECONDS = 600;

/** Makes the only member of a replica set step down. It still responds, but the set has no primary. */
export async function stepDown(mongoUrl: string): Promise<void> {
  await command(mongoUrl, { replSetStepDown: AWAY_SECONDS, force: true });
}

/** Permits its election again, which takes seconds. */
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
