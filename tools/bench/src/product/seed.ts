import { randomBytes, randomUUID } from 'node:crypto';
import { uuidv7 } from '@recording-request/kit/ids';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import type { Product } from './product.ts';

type Row = { _id: string } & Record<string, unknown>;

const BATCH = 2_000;

/** Inserts many records into the product's databases, because creating them through the API would take hours. */
export interface Seed extends AsyncDisposable {
  /**
   * Copies a clip's record into a project `count` times. Each copy gets the fields from `fieldsOf`, and uses the media
   * of that clip.
   */
  submissions(
    submissionId: string,
    to: { projectId: string; linkId: string },
    count: number,
    fieldsOf?: () => object,
  ): Promise<void>;
  /** Copies the record of a project and its links, `count` times. */
  projects(projectId: string, count: number): Promise<void>;
}

export async function openSeed({
  serversEnv,
  databasePrefix,
}: Pick<Product, 'serversEnv' | 'databasePrefix'>): Promise<Seed> {
  const settings = { mongoUrl: serversEnv.MONGO_URL!, mongoDatabasePrefix: databasePrefix };
  const mongo = await connectMongo(settings, 'submissions', 'bench');
  const collection = (database: string, name: string) =>
    mongo.getClient().db(`${databasePrefix}${database}`).collection<Row>(name);
  const one = async (database: string, name: string, filter: object) => {
    const row = await collection(database, name).findOne(filter);
    if (!row) throw new Error(`${database}.${name} has nothing to copy`);
    return row;
  };
  return {
    async submissions(submissionId, to, count, fieldsOf = () => ({})) {
      const row = await one('submissions', 'submissions', { _id: submissionId });
      const owner = await one('projects', 'projects', { _id: to.projectId });
      const makeOne = (at: number) => ({
        ...row,
        ...to,
        ...stateOf(at),
        ...fieldsOf(),
        _id: uuidv7(),
        ownerId: owner.ownerId,
        responseId: randomUUID(),
      });
      await insertMany(collection('submissions', 'submissions'), count, makeOne);
    },
    async projects(projectId, count) {
      const row = await one('projects', 'projects', { _id: projectId });
      const links = await collection('projects', 'links').find({ projectId }).toArray();
      const ids = Array.from({ length: count }, () => uuidv7());
      const makeOne = (at: number) => ({ ...row, _id: ids[at]!, dashboardHash: randomBytes(32) });
      await insertMany(collection('projects', 'projects'), count, makeOne);
      await insertMany(collection('projects', 'links'), count * links.length, at => ({
        ...links[at % links.length]!,
        _id: uuidv7(),
        projectId: ids[Math.floor(at / links.length)]!,
        hash: randomBytes(32),
      }));
    },
    [Symbol.asyncDispose]: () => mongo.close(),
  };
}

/** Selects one clip in ten. One clip in a hundred gets a failed transcript. */
function stateOf(at: number) {
  const words = { transcriptStatus: 'completed', transcriptText: 'what was said', transcriptVtt: 'WEBVTT' };
  return { selected: at % 10 === 0, ...(at % 100 === 0 ? { transcriptStatus: 'failed' } : words) };
}

async function insertMany(
  collection: { insertMany(rows: Row[], options: { ordered: boolean }): Promise<unknown> },
  count: number,
  makeOne: (at: number) => Row,
): Promise<void> {
  for (let at = 0; at < count; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - at) }, (_, more) => makeOne(at + more));
    await collection.insertMany(rows, { ordered: false });
  }
}
