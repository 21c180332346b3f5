import { randomBytes } from 'node:crypto';
import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit/mongo';
import { createObjects } from '@recording-request/kit/objects';
import { mongoVariables, objectVariables } from '@recording-request/kit/store-variables';
import type { Brokers } from '@recording-request/stack/servers/kafka-brokers';
import type { StoreUsers } from '@recording-request/stack/servers/minio-users';
import type { MongoSet } from '@recording-request/stack/servers/mongo-set';
import { Kafka, logLevel } from 'kafkajs';

/** Who the product is at its servers, by the keys of its Secret. */
export interface Logins extends Record<string, string> {
  MONGO_URL: string;
  KAFKA_USERNAME: string;
  KAFKA_PASSWORD: string;
  S3_ACCESS_KEY: string;
  S3_SECRET_KEY: string;
}

/** Makes and removes those who may log in at the servers. */
export interface LoginDesk {
  /** Makes a user at each server. */
  add(): Promise<Logins>;
  remove(logins: Logins): Promise<void>;
  /** Resolves to the servers that refuse these. */
  refusing(logins: Logins): Promise<string[]>;
}

interface Servers {
  mongo: MongoSet;
  kafka: Brokers;
  store: StoreUsers;
  /** The authority of their certificates, PEM. */
  authority: string;
  s3: { endpoint: string; region: string };
}

/** What deploy/k8s/overlays/operators gives all users of MongoDB together: one does everything here. */
const ROLES = ['projects', 'submissions', 'webhooks'].flatMap(db =>
  ['readWrite', 'dbAdmin'].map(role => ({ role, db })),
);

export function loginDesk({ mongo, kafka, store, authority, s3 }: Servers): LoginDesk {
  const atMongo = async (command: Record<string, unknown>) => {
    const connection = await connectMongo(loadConfig({ MONGO_URL: mongo.url }, mongoVariables), 'admin');
    try {
      await connection.db!.command(command);
    } finally {
      await connection.close();
    }
  };
  const reach: Record<string, (logins: Logins) => Promise<void>> = {
    async MongoDB({ MONGO_URL }) {
      await (await connectMongo(loadConfig({ MONGO_URL }, mongoVariables), 'projects')).close();
    },
    async Kafka({ KAFKA_USERNAME: username, KAFKA_PASSWORD: password }) {
      const sasl = { mechanism: 'scram-sha-512', username, password } as const;
      const client = new Kafka({
        brokers: kafka.secureAddresses,
        ...{ ssl: { ca: [authority] }, sasl, logLevel: logLevel.NOTHING, retry: { retries: 0 } },
      });
      const admin = client.admin();
      await admin.connect().finally(() => admin.disconnect());
    },
    async 'the object store'(keys) {
      const env = { ...keys, S3_ENDPOINT: s3.endpoint, S3_REGION: s3.region };
      await createObjects(loadConfig(env, objectVariables)).stat('nothing');
    },
  };
  return {
    async add() {
      const name = `recording-request-${randomBytes(4).toString('hex')}`;
      const [forMongo, forKafka] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
      await atMongo({ createUser: name, pwd: forMongo, roles: ROLES });
      await kafka.setUser(name, forKafka);
      const { accessKey, secretKey } = await store.add();
      return {
        MONGO_URL: `${mongo.url.replace(/:\/\/.*@/, `://${name}:${forMongo}@`)}&authSource=admin`,
        ...{ KAFKA_USERNAME: name, KAFKA_PASSWORD: forKafka, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey },
      };
    },
    async remove({ KAFKA_USERNAME: name, S3_ACCESS_KEY }) {
      await atMongo({ dropUser: name });
      await kafka.removeUser(name);
      await store.remove(S3_ACCESS_KEY);
    },
    async refusing(logins) {
      const outcomes = Object.entries(reach).map(
        async ([server, once]) => [server, await isRefused(once(logins))] as const,
      );
      return (await Promise.all(outcomes)).flatMap(([server, isSo]) => (isSo ? [server] : []));
    },
  };
}

const isRefused = (asked: Promise<void>): Promise<boolean> =>
  asked.then(
    () => false,
    () => true,
  );
