import { createLogger } from '@recording-request/kit/log';
import { readConfig } from '../../../../services/submissions/src/config.ts';
import { openContext } from '../../../../services/submissions/src/context.ts';
import { migrate } from '../../../../services/submissions/src/migrate.ts';
import { sweep } from '../../../../services/submissions/src/workflows/sweep.ts';
import type { Product } from './product.ts';

/** The sweeper of the submissions service, in this process. */
export interface Sweeper extends AsyncDisposable {
  /** Runs one turn, which searches for all unfinished work. */
  turn(): Promise<void>;
  clips(): Promise<number>;
}

export const openSweeper = async (product: Product): Promise<Sweeper> =>
  sweeperOf(await openSubmissions(product, product.databasePrefix));

/** Opens a sweeper on a separate database with copies of the records of `clips` clips. */
export async function openSmallSweeper(product: Product, clips: number): Promise<Sweeper> {
  await using opening = new AsyncDisposableStack();
  const databasePrefix = `${product.databasePrefix}small_`;
  await migrate({ ...product.serversEnv, MONGO_DATABASE_PREFIX: databasePrefix }, () => {});
  const context = opening.use(await openSubmissions(product, databasePrefix));
  opening.defer(() => context.connection.dropDatabase());
  const source = context.connection.getClient().db(`${product.databasePrefix}submissions`).collection('submissions');
  await clipsOf(context).insertMany(await source.find({}).sort({ _id: 1 }).limit(clips).toArray());
  const opened = opening.move();
  return { ...sweeperOf(context), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

type Context = Awaited<ReturnType<typeof openContext>>;

const sweeperOf = (context: Context): Sweeper => ({
  turn: () => sweep(context),
  clips: () => clipsOf(context).estimatedDocumentCount(),
  [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
});

const clipsOf = ({ connection }: Context) => connection.collection('submissions');

function openSubmissions(
  { baseUrl, serversEnv, services, certificates, bucket, topicPrefix }: Product,
  databasePrefix: string,
): Promise<Context> {
  const config = readConfig({
    ...serversEnv,
    MONGO_DATABASE_PREFIX: databasePrefix,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    S3_BUCKET: bucket,
    PUBLIC_BASE_URL: baseUrl,
    ...certificates.env('submissions'),
    PROJECTS_GRPC: services.projects.grpc,
    MEDIA_GRPC: services.media.grpc,
  });
  return openContext(config, createLogger('submissions', 'silent'));
}
