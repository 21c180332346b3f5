import { connectMongo } from '@recording-request/kit/mongo';
import type { Product } from './product.ts';

/** When the database took what, by its own clock, in milliseconds since 1970. */
export interface Moments {
  stored?: number;
  processed?: number;
  transcribed?: number;
}

/** Sees what happens to clips without asking the product, which that would keep busy. */
export interface MomentWatch extends AsyncDisposable {
  /** Resolves once the clip has been stored, processed and transcribed. Rejects after `limitMs`. */
  of(submissionId: string, limitMs: number): Promise<Required<Moments>>;
}

interface Row {
  mediaStatus?: string;
  transcriptStatus?: string;
}

/** Follows the changes of the collection of clips. */
export async function watchMoments({ serversEnv, databasePrefix }: Product): Promise<MomentWatch> {
  const settings = { mongoUrl: serversEnv.MONGO_URL!, mongoDatabasePrefix: databasePrefix };
  const mongo = await connectMongo(settings, 'submissions', 'bench');
  const rows = mongo.getClient().db(`${databasePrefix}submissions`).collection('submissions');
  const stream = rows.watch([{ $match: { operationType: { $in: ['insert', 'update', 'replace'] } } }], {
    fullDocument: 'updateLookup',
    maxAwaitTimeMS: 1_000,
  });
  const seen = new Map<string, { moments: Moments; done: PromiseWithResolvers<void> }>();
  const entryOf = (id: string) => {
    const found = seen.get(id) ?? { moments: {}, done: Promise.withResolvers<void>() };
    seen.set(id, found);
    return found;
  };
  // Errors come out where they are waited for.
  let failed: unknown;
  stream.on('error', error => {
    failed = error;
    for (const { done } of seen.values()) done.reject(error);
  });
  stream.on('change', change => {
    if (!('documentKey' in change) || !('wallTime' in change)) return;
    const { moments, done } = entryOf(String(change.documentKey._id));
    const at = (change.wallTime as Date).getTime();
    const { mediaStatus, transcriptStatus } = ('fullDocument' in change ? change.fullDocument : undefined) as Row;
    moments.stored ??= at;
    if (mediaStatus === 'ready') moments.processed ??= at;
    if (transcriptStatus === 'completed') moments.transcribed ??= at;
    if (moments.processed !== undefined && moments.transcribed !== undefined) done.resolve();
  });
  // The stream begins with its first request.
  await rows.findOne({ _id: 'none' as never });
  return {
    async of(submissionId, limitMs) {
      if (failed) throw failed;
      const { moments, done } = entryOf(submissionId);
      const limit = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => limit.reject(new Error(`a clip was not transcribed within ${limitMs} ms: ${JSON.stringify(moments)}`)),
        limitMs,
      );
      await Promise.race([done.promise, limit.promise]).finally(() => clearTimeout(timer));
      seen.delete(submissionId);
      return moments as Required<Moments>;
    },
    async [Symbol.asyncDispose]() {
      await stream.close();
      await mongo.close();
    },
  };
}
