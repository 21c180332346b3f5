import { randomUUID } from 'node:crypto';
import { uuidv7 } from '@recording-request/kit/ids';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import type { Product } from './product.ts';

type Row = { _id: string } & Record<string, unknown>;
interface Stored {
  key: string;
  size: number;
}

const COPIES_AT_ONCE = 8;
const URL_SECONDS = 6 * 60 * 60;

/** Direct access to the product's database and bucket. */
export interface Stores extends AsyncDisposable {
  /** Copies a clip's record and video in the stores, because landing each copy would take minutes. Returns the copies' ids. */
  copyClip(submissionId: string, copies: number): Promise<string[]>;
  videoOf(submissionId: string): Promise<Stored>;
  /** Returns a signed address to read the object, valid for hours. */
  readUrl(key: string): Promise<string>;
  copyObject(from: string, to: string): Promise<void>;
  remove(keys: string[]): Promise<void>;
  keys(prefix: string): Promise<string[]>;
}

export async function openStores({ serversEnv, databasePrefix, bucket }: Product): Promise<Stores> {
  const mongo = await connectMongo(
    { mongoUrl: serversEnv.MONGO_URL!, mongoDatabasePrefix: databasePrefix },
    'submissions',
    'bench',
  );
  const rows = mongo.getClient().db(`${databasePrefix}submissions`).collection<Row>('submissions');
  const objects = clientOf(serversEnv);
  const rowOf = async (submissionId: string) => {
    const row = await rows.findOne({ _id: submissionId });
    if (!row) throw new Error(`there is no clip ${submissionId} in the database`);
    return row;
  };
  const copyObject = async (from: string, to: string) => {
    const source = new CopySourceOptions({ Bucket: bucket, Object: from });
    await objects.copyObject(source, new CopyDestinationOptions({ Bucket: bucket, Object: to }));
  };
  return {
    async copyClip(submissionId, copies) {
      const row = await rowOf(submissionId);
      const stored = row.video as Stored;
      const ids = Array.from({ length: copies }, () => uuidv7());
      const open = [...ids];
      const lane = async () => {
        for (let id = open.shift(); id; id = open.shift()) {
          const key = stored.key.replace(submissionId, id);
          await copyObject(stored.key, key);
          await rows.insertOne({ ...row, _id: id, responseId: randomUUID(), video: { ...stored, key } });
        }
      };
      await Promise.all(Array.from({ length: COPIES_AT_ONCE }, lane));
      return ids;
    },
    videoOf: async submissionId => (await rowOf(submissionId)).video as Stored,
    readUrl: key => objects.presignedGetObject(bucket, key, URL_SECONDS),
    copyObject,
    async remove(keys) {
      await objects.removeObjects(bucket, keys);
    },
    async keys(prefix) {
      const found: string[] = [];
      for await (const { name } of objects.listObjectsV2(bucket, prefix, true)) if (name) found.push(name);
      return found;
    },
    [Symbol.asyncDispose]: () => mongo.close(),
  };
}

function clientOf(env: Record<string, string>): Client {
  const endpoint = new URL(env.S3_ENDPOINT!);
  return new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port || (endpoint.protocol === 'https:' ? 443 : 80)),
    useSSL: endpoint.protocol === 'https:',
    accessKey: env.S3_ACCESS_KEY!,
    secretKey: env.S3_SECRET_KEY!,
    region: env.S3_REGION!,
    pathStyle: true,
  });
}
