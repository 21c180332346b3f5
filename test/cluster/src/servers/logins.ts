import { randomBytes } from 'node:crypto';
import { newMongoUsers, policyOf, STORE_USERS } from '@recording-request/k8s/rights';
import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { createObjects } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import type { Brokers } from '@recording-request/stack/servers/kafka-brokers';
import type { StoreUsers } from '@recording-request/stack/servers/minio-users';
import type { MongoSet } from '@recording-request/stack/servers/mongo-set';
import { Kafka, logLevel } from 'kafkajs';

/**
 * The logins of the services, the migration and a backup: the keys in each login's Secret, by the name of the login.
 */
export type Logins = Record<string, Record<string, string>>;

/** Returns the name of the Secret of a service, the migration or the backup in the production overlay. */
export const ownSecret = (name: string) => `recording-request-${name}`;

/** Creates and removes logins. */
export interface LoginManager {
  /**
   * Creates a user for each login at MongoDB and the object store, with the rights of deploy/rights, and a common user at
   * Kafka.
   */
  add(): Promise<Logins>;
  remove(logins: Logins): Promise<void>;
  /** Logs in with each of these logins. Resolves to a list of refused and a list of accepted servers and users. */
  tried(logins: Logins): Promise<{ refused: string[]; taken: string[] }>;
}

interface Servers {
  mongo: MongoSet;
  kafka: Brokers;
  store: StoreUsers;
  /** The authority of the servers' certificates, PEM. */
  authority: string;
  s3: { endpoint: string; region: string };
}

const AT_KAFKA = ['projects', 'submissions', 'media', 'transcription', 'webhooks', 'migrate'];

export function loginManager({ mongo, kafka, store, authority, s3 }: Servers): LoginManager {
  const atMongo = async (command: Record<string, unknown>) => {
    const connection = await connectMongo(loadConfig({ MONGO_URL: mongo.url }, mongoVariables), 'admin');
    try {
      await connection.db!.command(command);
    } finally {
      await connection.close();
    }
  };
  /** For each server, a function that logs in once. The names are keys that only the users of this server have. */
  const reach: Record<string, { server: string; once(keys: Record<string, string>): Promise<unknown> }> = {
    MONGO_URL: {
      server: 'MongoDB',
      once: async ({ MONGO_URL }) =>
        await (await connectMongo(loadConfig({ MONGO_URL }, mongoVariables), 'admin')).close(),
    },
    KAFKA_USERNAME: {
      server: 'Kafka',
      async once({ KAFKA_USERNAME: username = '', KAFKA_PASSWORD: password = '' }) {
        const sasl = { mechanism: 'scram-sha-512', username, password } as const;
        const client = new Kafka({
          brokers: kafka.secureAddresses,
          ...{ ssl: { ca: [authority] }, sasl, logLevel: logLevel.NOTHING, retry: { retries: 0 } },
        });
        const admin = client.admin();
        await admin.connect().finally(() => admin.disconnect());
      },
    },
    S3_ACCESS_KEY: {
      server: 'the object store',
      once: keys =>
        createObjects(
          loadConfig({ ...keys, S3_ENDPOINT: s3.endpoint, S3_REGION: s3.region }, objectVariables),
        ).hasBucket(),
    },
  };
  return {
    async add() {
      const suffix = randomBytes(4).toString('hex');
      const logins: Logins = {};
      const give = (name: string, keys: Record<string, string>) => {
        logins[name] = { ...logins[name], ...keys };
      };
      for (const { user, pwd, roles } of await newMongoUsers()) {
        const name = `${user}-${suffix}`;
        await atMongo({ createUser: name, pwd, roles });
        give(user, { MONGO_URL: `${mongo.url.replace(/:\/\/.*@/, `://${name}:${pwd}@`)}&authSource=admin` });
      }
      for (const user of STORE_USERS) {
        const { accessKey, secretKey } = await store.add(policyOf(user));
        give(user, { S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey });
      }
      const forKafka = { KAFKA_USERNAME: `everybody-${suffix}`, KAFKA_PASSWORD: randomBytes(16).toString('hex') };
      await kafka.setUser(forKafka.KAFKA_USERNAME, forKafka.KAFKA_PASSWORD);
      for (const name of AT_KAFKA) give(name, forKafka);
      return logins;
    },
    async remove(logins) {
      for (const { MONGO_URL, S3_ACCESS_KEY } of Object.values(logins)) {
        if (MONGO_URL) await atMongo({ dropUser: /:\/\/([^:]+):/.exec(MONGO_URL)![1] });
        if (S3_ACCESS_KEY) await store.remove(S3_ACCESS_KEY);
      }
      await kafka.removeUser(logins.submissions!.KAFKA_USERNAME!);
    },
    async tried(logins) {
      const all = Object.entries(logins).flatMap(([name, keys]) =>
        Object.entries(reach).flatMap(([key, { server, once }]) =>
          key in keys ? [{ who: `${name} at ${server}`, refused: isRefused(once(keys)) }] : [],
        ),
      );
      const [refused, taken]: [string[], string[]] = [[], []];
      for (const each of all) ((await each.refused) ? refused : taken).push(each.who);
      return { refused, taken };
    },
  };
}

const isRefused = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    () => true,
  );
